"""What the name of a column says of its role, in six languages.

The languages are English, German, Dutch, French, Spanish and Italian.

Words are compared without case and marks (`nature.words_of`). A name that joins words, such as
`birthdate` or `Geburtsdatum`, is looked up as a whole, too.
"""

from __future__ import annotations

from sqlanon.discovery.nature import words_of

Words = frozenset[str]


def _words(text: str) -> Words:
    return frozenset(text.split())


PARTS_OF_NAMES = _words(
    """
    firstname lastname surname forename fullname maidenname nachname vorname familienname
    achternaam voornaam prenom apellido apellidos cognome
    """
)
"""Words for the names of persons."""

IDENTIFYING = PARTS_OF_NAMES | _words(
    """
    email mail phone telephone telefon telefoon tel mobile cell fax handy iban passport ssn
    nombre address addr adresse adres direccion
    street streetname streetaddress strasse hausnummer straat rue calle houseno url website
    homepage username login nickname signature photo license licence plate kennzeichen vin
    twitter facebook instagram linkedin ip ipaddress mac imei imsi msisdn bankaccount kontonummer
    indirizzo telefono domicilio
    """
)
"""Words for what identifies a person on its own."""

NAMED_PERSONS = _words(
    """
    first last full given middle maiden family sur patient person customer client user member
    employee student mother father contact holder owner birth display legal
    """
)
"""Words that make a `name` that of a person; with others it is that of a thing."""

NAMES = _words("name naam nom")

ABOUT_TIME_OF_BIRTH = _words(
    """
    age birth birthday birthdate birthyear dob yob born dateofbirth alter geburtsdatum geburtsjahr
    geboren geburt gebdatum gebjahr leeftijd geboortedatum geboortejaar naissance datenaissance
    edad nacimiento fechanacimiento agegroup nascita datanascita eta
    """
)
AGES = _words("age alter leeftijd edad agegroup eta")
"""Words for an age, which changes with the years."""

ABOUT_SEX = _words("sex gender geschlecht geslacht sexe genre sexo genero sesso genere")
ABOUT_PLACE = _words(
    """
    zip zipcode postcode postal postalcode plz postleitzahl pc cp codepostal codigopostal
    city town municipality county state province region district country village neighborhood
    neighbourhood tract block location residence lat latitude lon lng long longitude geo geohash
    stadt ort wohnort gemeinde kreis bundesland land stad gemeente plaats provincie ville commune
    departement pays ciudad municipio provincia pais cap citta comune regione paese
    """
)
ABOUT_ORIGIN = _words(
    """
    race ethnicity ethnic nationality citizenship native ancestry origin birthplace language
    mothertongue staatsangehorigkeit staatsangehoerigkeit nationalitat nationalitaet herkunft
    sprache nationaliteit taal nationalite langue nacionalidad idioma nazionalita cittadinanza
    """
)
ABOUT_LIFE = _words(
    """
    marital maritalstatus civilstatus familienstand burgerlijke etatcivil estadocivil
    education degree school schooling qualification bildung abschluss opleiding etudes educacion
    occupation job jobtitle profession employer workclass employment industry beruf arbeitgeber
    beroep metier ocupacion profesion household children kids siblings dependents kinder
    height weight grosse groesse gewicht lengte taille poids altura peso hours
    """
)
ABOUT_EVENTS = _words(
    """
    date day month year time timestamp admitted admission discharged discharge visited visit
    arrival departure entry exit hired joined registered enrolled datum jahr monat aufnahme
    entlassung ward department unit clinic hospital site branch station abteilung afdeling service
    """
)

QUASI_IDENTIFYING: tuple[tuple[Words, str], ...] = (
    (ABOUT_TIME_OF_BIRTH, "age or birth, which many people know"),
    (ABOUT_SEX, "sex, which everybody knows"),
    (ABOUT_PLACE, "a place, which neighbors know"),
    (ABOUT_ORIGIN, "origin or language, which people see and hear"),
    (ABOUT_LIFE, "a circumstance of life, which acquaintances know"),
    (ABOUT_EVENTS, "when or where something happened, which others saw"),
)
"""Words for what people know of others, the most widely known first, and why."""

_TRAITS: tuple[tuple[str, Words], ...] = (
    ("age", AGES),
    ("birth", ABOUT_TIME_OF_BIRTH),
    ("sex", ABOUT_SEX),
    ("place", ABOUT_PLACE),
    ("origin", ABOUT_ORIGIN),
    ("life", ABOUT_LIFE),
    ("name", PARTS_OF_NAMES),
)
"""What a person has or is for a long time, and words for it."""

SENSITIVE: tuple[tuple[Words, str], ...] = (
    (
        _words(
            """
            diagnosis diagnoses diagnose diag disease illness condition disorder icd icd10 icd9
            symptom symptoms complaint comorbidity pathology medication drug drugs medicine
            prescription treatment therapy procedure surgery allergy allergies blood lab test
            result results hiv pregnant pregnancy disability disabled mental psychiatric smoker
            smoking smokes alcohol addiction cancer tumor death died deceased mortality cause
            outcome infection vaccine vaccination genotype krankheit erkrankung befund medikament
            behandlung therapie raucher ziekte aandoening maladie traitement enfermedad
            diagnostico diagnostic tratamiento
            """
        ),
        "health",
    ),
    (
        _words(
            """
            salary income wage wages pay earnings salaryclass credit creditscore score debt loan
            balance arrears default bankruptcy wealth rent gehalt einkommen lohn schulden inkomen
            salaris schuld salaire revenu dette salario ingresos deuda
            """
        ),
        "money",
    ),
    (
        _words(
            """
            religion religious belief church faith politics political party vote union sexual
            orientation crime conviction offense offence arrest recidivism abuse
            violence grade grades gpa rating evaluation konfession glaube partei gewerkschaft
            straftat geloof religie croyance parti crimen delito
            """
        ),
        "belief, conduct or judgement",
    ),
)
"""Words for what nobody should learn of a person, and what they are about."""

AMOUNTS = _words(
    """
    amount cost costs price total sum fee charge charges bill paid payment value expense expenses
    refund deposit betrag kosten preis summe gebuhr gebuehr bedrag prijs montant cout prix importe
    coste precio salary income wage wages pay earnings balance debt loan credit gehalt einkommen
    """
)
"""Words for amounts of money."""

POSTAL = _words(
    "zip zipcode postcode postal postalcode plz postleitzahl pc cp codepostal codigopostal"
)
"""Words for postal codes."""

COORDINATES = _words("lat latitude lon lng longitude")

ABOUT_THE_RECORD = _words(
    "currency unit units version schema format encoding sourcesystem dataset batch waehrung wahrung"
)
"""Words for what describes the table rather than a person."""


def says(name: str, words: Words) -> bool:
    """Whether the name of a column has one of the words, or is one when joined."""
    own = words_of(name)
    return bool(words & {*own, "".join(own)})


def names_a_person(name: str) -> bool:
    """Whether a column called `name` by one of its words has names of persons."""
    own = set(words_of(name))
    return bool(own & NAMES) and own <= (NAMES | NAMED_PERSONS)


def reason_to_generalize(name: str) -> tuple[int, str] | None:
    """How widely known a column is by its name, 0 first, and why; None if the name says nothing."""
    for place, (words, why) in enumerate(QUASI_IDENTIFYING):
        if says(name, words):
            return place, why
    return None


def reason_to_protect(name: str) -> str | None:
    """What a column is about that nobody should learn, by its name; None if it says nothing."""
    return next((about for words, about in SENSITIVE if says(name, words)), None)


def trait(name: str) -> str | None:
    """What a column is about that a person has or is for a long time; None: anything else."""
    if names_a_person(name):
        return "name"
    return next((about for about, words in _TRAITS if says(name, words)), None)
