"""Finance: payments move from state to state, and money is exact in its currency."""

import pytest

STATES = ("pending", "approved", "held", "paid", "refunded")


@pytest.fixture
def books(make_desk):
    """A transaction of each state, in order, then paid ones in JPY and KWD; two payees."""
    rows = [{"status": status, "date": f"2026-03-2{n}"} for n, status in enumerate(STATES)]
    rows[1] |= {"payee_id": "PAY-1"}
    rows += [
        {"status": "paid", "amount": 1001, "currency": "JPY", "payee_id": "PAY-1"},
        {"status": "paid", "amount": 1234, "currency": "KWD"},
    ]
    payees = [{}, {"name": "Tinta Norte", "account": "DE00200"}]
    return make_desk({"finance.transactions": rows, "finance.payees": payees})


def listed(desk, **arguments: object) -> list[str]:
    answer = desk.ok("finance_list_transactions", **arguments)
    return [row["transaction_id"] for row in answer["transactions"]]


def transaction(desk, number: int):
    return desk.record("finance.transactions", f"TXN-{number}")


# Reading ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"status": "held"}, ["TXN-3"]),
        ({"payee_id": "PAY-1"}, ["TXN-2", "TXN-6"]),
        ({"payee_id": "PAY-1", "status": "approved"}, ["TXN-2"]),
        ({"start_date": "2026-03-22"}, ["TXN-3", "TXN-4", "TXN-5"]),
        ({"start_date": "2026-03-21", "end_date": "2026-03-22"}, ["TXN-2", "TXN-3"]),
        ({"end_date": "2026-03-19"}, []),
    ],
)
def test_a_list_holds_what_the_filters_ask_for(books, filters: dict, expected: list) -> None:
    assert listed(books, **filters) == expected


@pytest.mark.parametrize("field", ["start_date", "end_date"])
@pytest.mark.parametrize("wrong", ["22.03.2026", "2026-3-2", "2026-02-30", "yesterday", ""])
def test_a_day_that_is_none_is_refused_by_name(books, field: str, wrong: str) -> None:
    code, message = books.refused("finance_list_transactions", **{field: wrong})
    assert code == "invalid_argument"
    assert f"'{field}'" in message


def test_a_payee_is_found_by_part_of_the_name_and_read_in_full(books) -> None:
    rows = books.ok("finance_list_payees", name="NORTE")["payees"]
    assert [row["payee_id"] for row in rows] == ["PAY-2"]
    assert books.ok("finance_list_payees")["total"] == 2
    read = books.ok("finance_get_payee", payee_id="PAY-2")
    assert (read["account"], read["bank"]) == ("DE00200", "Bank One")
    for name, key in (
        ("finance_get_payee", "payee_id"),
        ("finance_get_transaction", "transaction_id"),
    ):
        assert books.refused(name, **{key: "X-9"})[0] == "not_found"


def test_only_what_is_given_of_a_payee_is_changed(books) -> None:
    before = books.record("finance.payees", "PAY-1")
    books.ok("finance_update_payee", payee_id="PAY-1", account=" DE00 300\t")
    assert books.record("finance.payees", "PAY-1") == before | {"account": "DE00300"}
    for field in ("bank", "email", "notes"):
        books.ok("finance_update_payee", payee_id="PAY-1", **{field: "x"})
        assert books.record("finance.payees", "PAY-1")[field] == "x"
    assert books.refused("finance_update_payee", payee_id="PAY-9", bank="x")[0] == "not_found"


# States -------------------------------------------------------------------------------------------

MOVES = {
    "finance_hold_transaction": ({"pending", "approved"}, "held"),
    "finance_approve_transaction": ({"pending", "held"}, "approved"),
    "finance_pay_transaction": ({"approved"}, "paid"),
    "finance_refund_transaction": ({"paid"}, "refunded"),
}


@pytest.mark.parametrize("name", sorted(MOVES))
@pytest.mark.parametrize("status", STATES)
def test_a_payment_moves_only_from_the_states_that_allow_it(books, name: str, status: str) -> None:
    allowed, after = MOVES[name]
    number = STATES.index(status) + 1
    arguments = {"transaction_id": f"TXN-{number}"}
    arguments |= {"reason": "Odd."} if name == "finance_hold_transaction" else {}
    if status in allowed:
        assert books.ok(name, **arguments)["status"] == after
        assert transaction(books, number)["status"] == after
    else:
        code, message = books.refused(name, **arguments)
        assert code == "conflict"
        assert f"is {status}, not " in message
    assert books.refused(name, **arguments | {"transaction_id": "TXN-9"})[0] == "not_found"


def test_a_hold_keeps_its_reason_until_the_payment_is_approved(books) -> None:
    books.ok("finance_hold_transaction", transaction_id="TXN-1", reason="Odd.")
    assert transaction(books, 1)["hold_reason"] == "Odd."
    books.ok("finance_approve_transaction", transaction_id="TXN-1")
    assert transaction(books, 1)["hold_reason"] is None


def test_a_payment_goes_to_the_account_on_file(books) -> None:
    books.ok("finance_update_payee", payee_id="PAY-1", account="DE00999")
    books.ok("finance_pay_transaction", transaction_id="TXN-2")
    assert transaction(books, 2)["account"] == "DE00999"


# Money --------------------------------------------------------------------------------------------


def refund(desk, number: int, amount: object):
    return desk.ok("finance_refund_transaction", transaction_id=f"TXN-{number}", amount=amount)


@pytest.mark.parametrize("amount", ["19.99", 19.99, None])
def test_a_refund_of_all_of_it_is_exact(books, amount: object) -> None:
    """A-float-eq"""
    answer = refund(books, 4, amount)["transaction"]
    assert (answer["refunded"], answer["status"]) == ("19.99", "refunded")
    assert transaction(books, 4)["refunded"] == 1999


def test_refunds_add_up_to_the_amount_and_no_further(books) -> None:
    """A-minor-units"""
    assert refund(books, 6, 501)["transaction"]["status"] == "paid"
    code, message = books.refused("finance_refund_transaction", transaction_id="TXN-6", amount=501)
    assert code == "conflict"
    assert "500" in message
    answer = refund(books, 6, "500")["transaction"]
    assert (answer["refunded"], answer["status"]) == ("1001", "refunded")


def test_a_refund_without_an_amount_is_all_that_is_left(books) -> None:
    refund(books, 4, "9.99")
    assert refund(books, 4, None)["transaction"]["refunded"] == "19.99"


@pytest.mark.parametrize(
    ("number", "amount"),
    [
        (6, 500.5),
        (6, "500.5"),
        (7, "1.2345"),
        (4, 0.1 + 0.2),
        (4, 1.005),
        (4, "1.005"),
        (4, "1.000"),
        (4, "1e1"),
        (4, "1,00"),
        (4, "ten"),
        (4, 1e300),
        (4, "9" * 4000),
        (4, True),
        (4, ""),
    ],
)
def test_an_amount_that_the_currency_does_not_have_is_refused(
    books, number: int, amount: object
) -> None:
    """A-minor-units, A-float-eq, A-locale-amount"""
    code, _ = books.refused(
        "finance_refund_transaction", transaction_id=f"TXN-{number}", amount=amount
    )
    assert code == "invalid_argument"


@pytest.mark.parametrize("amount", [0, -5, "-0.01", "20.00", 20])
def test_a_refund_lies_between_nothing_and_the_amount(books, amount: object) -> None:
    code, message = books.refused(
        "finance_refund_transaction", transaction_id="TXN-4", amount=amount
    )
    assert code == "conflict"
    assert "19.99" in message


@pytest.mark.parametrize("amount", [500.0, 5e2, 500])
def test_a_json_number_counts_by_value(books, amount: float) -> None:
    """A-minor-units, A-float-eq: 500.0 is a whole number of yen, and JSON knows no other kind."""
    assert refund(books, 6, amount)["transaction"]["refunded"] == "500"


def test_three_digits_are_kept_where_the_currency_has_them(books) -> None:
    """A-minor-units"""
    assert refund(books, 7, 1.234)["transaction"]["status"] == "refunded"


# Reports ------------------------------------------------------------------------------------------


def test_a_report_is_kept_in_minor_units_of_its_currency(books) -> None:
    """A-float-eq"""
    answer = books.ok(
        "finance_submit_report", title="March", transactions=["TXN-1", "TXN-4"], total_amount=39.98
    )
    assert answer["status"] == "submitted"
    assert (answer["report"]["total_amount"], answer["report"]["currency"]) == ("39.98", "EUR")
    (kept,) = books.rows("finance.reports")
    assert (kept["total_amount"], kept["transactions"]) == (3998, ["TXN-1", "TXN-4"])


@pytest.mark.parametrize(
    ("transactions", "total", "code"),
    [
        ([], 1, "invalid_argument"),
        (["TXN-1", "TXN-9"], 1, "not_found"),
        (["TXN-1", "TXN-6"], 1, "conflict"),
        (["TXN-6"], 0.5, "invalid_argument"),
        (["TXN-1"], 0.1 + 0.2, "invalid_argument"),
        (["TXN-1"], "12 apples", "invalid_argument"),
    ],
)
def test_a_wrong_report_is_refused(books, transactions: list, total: object, code: str) -> None:
    """A-minor-units, A-float-eq"""
    arguments = {"title": "March", "transactions": transactions, "total_amount": total}
    assert books.refused("finance_submit_report", **arguments)[0] == code
    assert books.rows("finance.reports") == []
