"""Cards that are placed. Corners stand in reading order: a letter is a symbol, a dot an empty corner, a dash none.

Letters: Fungi, Plant, Animal, Insect, Quill, inKwell, Manuscript. Numbers are given in order of appearance.
"""

# Numbers 1-40. The front; a plus is one point.
RESOURCE = {
    "fungi": "F.F- FF-. .-FF -F.F -QPF KF-A FIM. .F.-+ F-..+ -.F.+",
    "plant": "P.P- PP-. .-PP -P.P -IQP FP-K M-PA ..P-+ ..-P+ -P..+",
    "animal": "AA.- -.AA A-A. .A-A -IKA PA-M Q-AF -.A.+ .-.A+ .A.-+",
    "insect": "II.- -.II I-I. .I-I -QAI MI-F IPK- I-..+ ..-I+ -I..+",
}

# Numbers 41-80. The front, points (per corner covered or per object), the resources that must be visible.
GOLD = {
    "fungi": (
        "-..Q 1/Q FFA",
        ".K-. 1/K FFP",
        "M..- 1/M FFI",
        "..-. 2/c FFFA",
        "...- 2/c FFFP",
        ".-.. 2/c FFFI",
        ".-K- 3 FFF",
        "Q.-- 3 FFF",
        "-M-. 3 FFF",
        ".-.- 5 FFFFF",
    ),
    "plant": (
        "Q..- 1/Q PPI",
        ".M-. 1/M PPF",
        ".-K. 1/K PPA",
        "-... 2/c PPPI",
        "...- 2/c PPPA",
        ".-.. 2/c PPPF",
        ".-Q- 3 PPP",
        "M.-- 3 PPP",
        "-K-. 3 PPP",
        "..-- 5 PPPPP",
    ),
    "animal": (
        "K..- 1/K AAI",
        "-..M 1/M AAP",
        ".-Q. 1/Q AAF",
        "..-. 2/c AAAI",
        ".-.. 2/c AAAF",
        "-... 2/c AAAP",
        ".-M- 3 AAA",
        ".K-- 3 AAA",
        "-.-Q 3 AAA",
        "-.-. 5 AAAAA",
    ),
    "insect": (
        ".Q-. 1/Q IIP",
        ".-M. 1/M IIA",
        "-..K 1/K IIF",
        "..-. 2/c IIIA",
        "...- 2/c IIIP",
        ".-.. 2/c IIIF",
        "K-.- 3 III",
        ".M-- 3 III",
        "--Q. 3 III",
        "..-- 5 IIIII",
    ),
}

# Numbers 81-86. The front, the back, what stands in the middle of the back.
STARTING = (
    "FPIA .PI. I",
    "PAFI A..F F",
    "IAFP .... FP",
    "PIAF .... AI",
    "IFPA ..-- PAI",
    "FAPI ..-- FPA",
)
