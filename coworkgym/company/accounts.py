"""Bank accounts: IBANs whose check digits hold, at banks that do not exist."""

from typing import NamedTuple

from coworkgym.errors import unknown


class Bank(NamedTuple):
    """An invented bank.

    Attributes:
        name: What it is called.
        country: ISO code that its IBANs begin with.
        code: Bank code, and branch, inside the IBAN.
        width: Digits of an account number in that country's IBANs.
        constant: What the check digits are computed from, apart from the account number.
    """

    name: str
    country: str
    code: str
    width: int
    constant: int

    def iban(self, account: int) -> str:
        """Returns the IBAN of an account number of at most `width` digits (ISO 13616)."""
        check = 98 - (self.constant + account * 1_000_000) % 97
        return f"{self.country}{check:02d}{self.code}{account:0{self.width}d}"


def _bank(name: str, country: str, code: str, width: int) -> Bank:
    """Returns a bank; letters count 10 for A to 35 for Z, and the country follows the account."""
    digits = "".join(str(int(letter, 36)) for letter in f"{code}{'0' * width}{country}00")
    return Bank(name, country, code, width, int(digits))


# Codes that the countries have not handed out, so that no real account can be hit.
_BANKS = (
    _bank("Nordlicht Kontorbank", "DE", "99055010", 10),
    _bank("Elbmark Bank", "DE", "99075020", 10),
    _bank("Isartal Handelsbank", "DE", "99035030", 10),
    _bank("Donaufeld Bank", "AT", "99510", 11),
    _bank("Alpenrand Sparbank", "AT", "99720", 11),
    _bank("Zuiderdam Bank", "NL", "QZDB", 10),
    _bank("Grachtenbank", "NL", "QGRB", 10),
    _bank("Liffeyside Bank", "IE", "QLSB990155", 8),
    _bank("Burren Commercial Bank", "IE", "QBCB990255", 8),
    _bank("Mosel Private Bank", "LU", "995", 13),
    _bank("Kirchfeld Merchant Bank", "LU", "997", 13),
    _bank("Thameswick Bank", "GB", "QTWB990155", 8),
    _bank("Pennine Trade Bank", "GB", "QPTB990255", 8),
)

BANKS: dict[str, tuple[Bank, ...]] = {
    country: tuple(bank for bank in _BANKS if bank.country == country)
    for country in ("AT", "DE", "GB", "IE", "LU", "NL")
}
"""The banks where firms of a country hold their accounts."""

# Countries without IBANs of their own: their firms are paid on accounts abroad.
BANKS |= {"CN": BANKS["LU"], "US": BANKS["IE"]}


def banks_in(country: str) -> tuple[Bank, ...]:
    """Returns the banks where firms of a country hold their accounts.

    Raises:
        UnknownNameError: No bank serves that country.
    """
    if country not in BANKS:
        raise unknown("country", country, BANKS)
    return BANKS[country]
