"""People: their addresses, and those asked for by department, title or firm."""

import random
import re

from hypothesis import given
from hypothesis import strategies as st

from coworkgym.company import LANGUAGES, SPLITS, Company, Person
from coworkgym.company.lexicon import lexicon


def company(
    seed: int = 0, *, split: str = "train", language: str = "en", customers: int = 8
) -> Company:
    return Company(
        random.Random(seed), split=split, language=language, customers=customers, suppliers=4
    )


def people(cast: Company) -> list[Person]:
    contacts = [firm.contact for firm in cast.customers]
    return [*cast.staff, *contacts, *(supplier.contact for supplier in cast.suppliers)]


@given(st.integers(min_value=0), st.sampled_from(SPLITS), st.sampled_from(LANGUAGES))
def test_mail_addresses_are_canonical_ascii(seed: int, split: str, language: str) -> None:
    cast = company(seed, split=split, language=language)
    form = re.compile(r"[a-z]+\.[a-z]+@[a-z]+-[a-z]+\.(example|test)")
    assert all(form.fullmatch(one.email) for one in [*people(cast), cast.new_person()])


def test_chinese_people_have_chinese_names_and_pinyin_addresses() -> None:
    for one in people(company(language="zh", customers=60)):
        assert re.fullmatch(r"[\u4e00-\u9fff]{2,3}", one.name)
        family = lexicon("zh", "train").families
        spelling = {word.text: word.latin for words in family for word in words}
        assert one.email.split("@")[0].split(".")[1] == spelling[one.name[0]]


def test_a_new_person_is_what_was_asked_for() -> None:
    cast = company(language="zh")
    firm = cast.customers[0]
    one = cast.new_person(department="Finance", title="出纳", domain=firm.domain)
    assert (one.department, one.title, one.location) == ("财务部", "出纳", firm.city)
    assert one.email.endswith(f"@{firm.domain}")
    assert cast.new_person(department="财务部").department == "财务部"
    assert cast.new_person(title="会计").department == "财务部"
    assert cast.new_person(title="客户经理").department == "客户部"
    assert cast.new_person(department="Legal", title="客户经理").department == "法务部"
    assert cast.new_person().email.endswith(f"@{cast.domain}")
    assert cast.new_person().location == cast.city


def test_people_at_one_strange_domain_share_a_city() -> None:
    cast = company(4)
    assert len({cast.new_person(domain="elsewhere.test").location for _ in range(20)}) == 1
