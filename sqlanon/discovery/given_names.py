"""Frequent given names, by which names of persons are recognized."""

from __future__ import annotations

GIVEN_NAMES = frozenset(
    """
    aaron abdul abigail adam adele adrian agnes ahmed aisha alan albert alejandro alessandro alex
    alexander alexandra alfred ali alice alicia alina alison alma amanda amelia amira amy ana anas
    andrea andreas andreea andrew angela angelika anita anke anna annalena anne annette annika
    anthony antje anton antonio arjen arthur astrid audrey axel barbara bart beata beatrice ben
    benjamin bernard bernd bettina bianca birgit bjorn bob boris brandon brenda brian brigitte
    bruno camille carl carla carlos carmen carol carolina caroline catherine cecilia celine chantal
    charles charlotte chiara chloe christian christiane christina christine christoph christopher
    claire clara claude claudia claudio clemens colin corinna cristina cynthia daan dagmar dan
    daniel daniela daniele danielle dario david deborah denise dennis derek diana diane diego
    dieter dimitri dina dirk dominik donald donna dora doris dorothy dylan edith eduardo edward
    elena eleonora elif elisa elisabeth elise elizabeth ella ellen elsa emil emilia emily emine
    emma enrico eric erica erik erika erin ernst esther ethan eugene eva evelyn fabian fatima
    federico felix fernando finn fiona florian frances francesca francesco francisco francois frank
    franz franziska fred frederic frederik friedrich gabriel gabriela gabriele gary georg george
    gerald gerard gerhard gianluca gina giorgio giovanni gisela giulia giuseppe gloria gonzalo
    grace greta guido guillaume gustav hannah hanna hannes hans harald harry hasan heather hector
    heidi heike heinrich heinz helen helena helga helmut hendrik henri henrik henry herbert hermann
    hilda horst hugo ian ibrahim ida ignacio ilse imran inga ingrid ines irene irina iris isabel
    isabella isabelle ivan jack jacob jacqueline jakob james jamie jan jane janet janine jannik
    jasmin jason javier jean jeffrey jennifer jens jeremy jesper jessica jill jim joachim joan
    joanna joao jochen joe joel johan johann johanna johannes john jonas jonathan jorge jose josef
    joseph joshua juan judith julia julian juliane julie julien jurgen justin kai karen karim karin
    karl karla karsten kateryna katharina katherine kathleen kathrin katja kelly kenneth kerstin
    kevin khadija kim kira klaus konrad kristian kristin kristina kurt kyle lara larry lars laura
    lauren laurent lea leah leila lena leo leon leonard leonardo leonie leonora liam lily linda
    lisa liselotte lorenzo louis louise luca lucas lucia lucie ludwig luis luisa lukas luke lydia
    maarten madeleine magdalena maike malte manfred manuel manuela marc marcel marco marcus marek
    margaret margarita margot maria marianne marie marina mario marion markus marlene marta martha
    martin martina mary mateo mathias mathieu matteo matthew matthias maurice max maxime maximilian
    maya megan mehmet melanie melissa mia michael michel michelle miguel mike mila milan milena
    mina mira miriam mohamed mohammed monica monika monique mustafa nadia nadine nancy natalia
    natalie natasha nathalie nathan nele nicholas nick nicola nicolas nicole niels niklas nils nina
    noah noemi nora norbert norman olaf ole oleg olga oliver olivia olivier omar oscar oskar osman
    otto pablo pamela paola paolo pascal patricia patrick patrik paul paula paulina pauline pavel
    pedro peter petra philip philipp philippe pia pierre pieter rachel rafael raffaele rainer ralf
    ralph ramon raphael raul ravi raymond rebecca regina reinhard renate rene ricardo richard rita
    robert roberto robin roger roland rolf roman ronald rosa rosemarie roxana ruben rudolf ruth
    ryan sabine sabrina salma sam samantha samir samuel sandra sara sarah saskia scott sean
    sebastian serge sergio sharon shirley silke silvia simon simone sina sofia sofie sonia sophia
    sophie stefan stefanie stefano stella stephanie stephen steve steven stina susan susanne sven
    svenja sylvia tamara tanja tara tatiana teresa theo theodor theresa thomas thorsten tiago till
    tilo tim timo timothy tina tobias tom tomas toni torsten tracy ulrich ulrike ursula ute uwe
    valentin valentina valerie vanessa vera verena veronica veronika victor victoria viktor
    viktoria vincent vincenzo virginia vivian vladimir walter wanda wendy werner wilhelm willem
    william wolfgang xavier yannick yasmin yolanda yusuf yves yvonne zoe
    ada amadou bea emine farah haruto hiroshi kenji kwame mei ming priya raj rosa sanjay yuki
    """.split()  # noqa: SIM905 - a list of words is read as one
)
"""Given names in lower case."""
