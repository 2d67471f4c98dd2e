"""Customer support: tickets, and the customers behind them."""
