"""Training baselines: estimators and scripts that use the public interface of coworkgym only."""
