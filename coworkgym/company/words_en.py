"""English words: names of mixed origin, invented firm stems, kinds of business, offices, cities."""

PERSON = "{0} {1}"  # given, family
FIRM_ENDING = " {}"  # what follows the stem, with the kind in it
ADDRESS = "{0} {1}, {2}"  # number, street, city
TWO_PART_GIVEN = 0.0

GIVEN: dict[str, str] = {
    word: word.lower()
    for word in """
    Aaron Abena Adaeze Adrian Agnes Aiko Aisha Akira Alan Alba Aldo Alejandra Alice Alina Alma
    Alvin Amara Amelia Amina Amit Ana Anders Andrea Anika Anil Anja Anton Anwar Arjun Arlo Arnav
    Astrid August Ayesha Ayumi Beatriz Benedikt Bianca Birgit Bjorn Boris Bruno Camille Carla
    Carlos Carmen Cecilia Cedric Celeste Chidi Chiara Chloe Clara Claude Clement Conor Cora
    Cyrus Dalia Damian Daniela Daria David Deepa Derek Diego Dina Dmitri Dora Dylan Edith
    Eduardo Efua Elena Elias Elif Elliot Elsa Emeka Emil Emma Enrique Erik Esther Eva Fabian
    Farah Fatima Felix Fergus Fiona Flora Frank Freya Gabriel Gemma Georg Gita Giulia Goran
    Grace Greta Gustav Hamza Hana Hannah Harriet Hassan Heidi Helena Henrik Hiroshi Hugo Ibrahim
    Ida Ifeoma Igor Imani Ines Ingrid Irene Isaac Isla Ivan Ivy Jakob Jamal Jana Jasper Javier
    Jerome Joanna Joao Johan Jonas Jorge Josef Judith Julia Kamal Karim Karin Katya Kavya Keiko
    Kenji Kerstin Khalid Klara Kofi Kwame Lars Laura Layla Lena Leon Leticia Liam Lidia Lina
    Linus Lorenzo Lotte Louis Lucia Ludmila Luis Magnus Maia Malik Manuel Marco Margot Maria
    Marit Martin Mateo Matilda Maxim Mei Mercy Mikael Milena Mina Miriam Mohan Mona Moritz Nadia
    Naomi Natalia Neha Niamh Nikhil Nils Nina Noah Nora Obinna Octavia Olga Oliver Omar Oscar
    Otto Pablo Paloma Patrick Paula Pedro Petra Philip Pia Pilar Priya Quentin Rafael Rahul
    Raisa Ramona Rania Rasmus Ravi Rebecca Renata Ricardo Rita Robert Rohan Rosa Ruben Ruth
    Sabine Salma Samir Sandra Sanjay Santiago Sara Sasha Sebastian Selma Sergei Shirin Sigrid
    Silvia Simon Sofia Soren Stella Sunita Sven Tamar Tanya Tara Tariq Tatiana Tessa Theo Thomas
    Tilda Tomas Uma Ursula Valentin Vera Victor Vikram Viola Vivian Walter Wanda Wendy Yara
    Yasmin Yuki Yusuf Zainab Zara Zelda Zoe
    """.split()
}

FAMILY: dict[str, str] = {
    word: word.lower()
    for word in """
    Abbott Abdi Achebe Adeyemi Agarwal Aguilar Ahmed Akhtar Albrecht Alvarez Amari Andersen
    Antonov Aquino Arslan Asante Aslan Atkins Aydin Baker Banerjee Baptiste Barbosa Barnes
    Barros Bauer Begum Bellini Benitez Bergman Bernard Bhatt Bianchi Boateng Bondar Borges Boyd
    Brandt Brennan Bridges Brooks Bruun Burke Cabrera Caldwell Campos Cardoso Carlsen Carter
    Castillo Chandra Chavez Chopra Christensen Clarke Coleman Conti Cooper Cortez Costa Craig
    Cruz Dahl Dalal Danso Daly Dawson Delgado Demir Desai Diallo Dietrich Dixit Dogan Dominguez
    Doyle Dubois Duarte Duran Ekwueme Eldridge Eriksen Espinoza Evans Falk Farouk Fernandes
    Fielding Fischer Fleming Flores Fontaine Forsberg Foster Fraser Friedman Fujita Gallagher
    Garner Gerber Ghosh Gibbons Gomes Gonzalez Gordon Goto Granger Greene Gruber Gunnarsson
    Gupta Haddad Hagen Halvorsen Hamid Hansen Harper Hartmann Hashimoto Hayashi Heller Hendricks
    Henning Herrera Hoffman Holm Horvath Hussain Ibarra Iglesias Ikeda Imai Ishikawa Ivanov Iyer
    Jacobs Jafari Jain Jansen Jensen Jimenez Johansson Joshi Kamara Kaplan Kapoor Kato Kaur
    Keller Khan Kimura Kirby Klein Kobayashi Koch Kovac Kowalski Kramer Kruger Kulkarni Kumar
    Laine Lambert Larsson Laurent Lehmann Lemaire Leone Lindqvist Lombardi Lopes Lozano Lund
    Macedo Mahmoud Malhotra Marchetti Marino Marques Matsuda Mendoza Mensah Mercier Meyer Milani
    Miranda Mishra Molina Moreau Moreno Morgan Mukherjee Nagy Nakamura Nasser Navarro Ndiaye Nel
    Neumann Nguyen Nielsen Nikolaev Novak Nowak Nunez Nwosu Obrecht Ochieng Odhiambo Ogawa
    Okafor Okonkwo Olsen Orlov Ortega Osman Owusu Pacheco Palmer Papadakis Parekh Park Patel
    Pavlov Pereira Petersen Petrov Pham Pillai Pinto Popescu Prasad Quinn Quiroga Rahman Ramirez
    Rao Rasmussen Reyes Ribeiro Richter Rinaldi Rivera Robles Romano Rossi Roux Saito Salazar
    Saleh Sandberg Santoro Sato Schneider Schulz Serrano Shah Sharma Shaw Silva Singh Sokolov
    Solberg Sorensen Soto Stein Stoica Suarez Sutton Suzuki Takeda Tanaka Tavares Teixeira Thapa
    Thompson Toure Tran Tucker Ueda Underwood Vargas Varma Vasquez Vega Verma Vidal Vogel Volkov
    Wagner Walsh Watanabe Weber Whitaker Winther Wolff Yamada Yilmaz Young Zamora Zeller Ziegler
    Zimmer
    """.split()
}

STEMS: dict[str, str] = {
    word: word.lower()
    for word in """
    Alderwyn Ambrelle Ancorra Ardvale Arlenby Ashmere Astrenna Auberin Avelton Averleigh Baldrin
    Barrowell Belcrest Bellorin Benwick Birchaven Bolvane Braemond Brellow Brindleton Broadfen
    Brunmark Calderis Camberlow Carravale Castrel Cedrane Celwood Chalden Cindermoor Clareth
    Clovermark Coldharrow Corvane Cragmoor Cromwyn Culverby Dalewick Danforth Darrowby Davenmoor
    Delphane Denholme Dorvale Drayhurst Druminor Dunmarch Eastmere Ebonwick Eddermoor Elderfen
    Elmstead Embervale Emsworth Endelby Eskmoor Estavane Everholt Fairmoor Falkenby Farrowdale
    Fenwright Fernleigh Fieldmark Finnmoor Flaxwood Forrestal Foxmere Frostwick Galdorn
    Gildenfar Glenmarch Goldmarsh Gorsedale Granvik Greywick Grimsholt Hadwyn Halvane Harbrook
    Hartmoor Havenby Hawkswell Hazelmark Heathrane Hedlund Helmvale Highfen Hollowby Hornmere
    Hovelund Huxmoor Ilmenau Inglewyn Inverlock Islemark Ivorvale Jardell Jasmond Juniperly
    Kaldane Karstel Keldwick Kenmarch Kestrane Kilbrook Kirkhaven Knollwyn Korvella Lakemond
    Lanmoor Larchwood Laverick Ledmark Lennvale Lindmere Loamfield Lochwell Longfen Lorrimar
    Lowenby Lundvik Lyndhurst Maplewyn Marchfeld Marlund Meadowick Melgrove Merrivane Millbrae
    Mirefield Monvale Mossgate Mulberrow Myrefell Nantmoor Nesswick Nethervale Newholt Nimbrook
    Nordalin Norfell Northmead Nutwell Oakenfar Oberlund Oldmere Orchley Ormswick Osterby
    Ottermoor Oxbrae Padmere Palefield Pebblewick Pelhamar Pendrane Perrivale Pinehollow
    Plumstead Polmarch Prestwyn Quarrane Quillmoor Quornby Ramsvale Ravelund Redthorne Reedhaven
    Rennick Ridgevale Rivermond Rockwyn Rosfell Rowanby Runmarsh Rushmoor Saltmere Sandwyck
    Sedgefar Selbrook Severane Shorewick Silverfen Skelmoor Slatewell Snowdrane Solvarn Southolt
    Sparwick Springmar Stanfell Stonemead Stranvik Sunderby Swanholt Sycamund Tamwick Tarnbrook
    Tavistane Tealmoor Tenmarsh Thistledon Thornvale Tidewell Tillmark Treloway Trevanor Tulmere
    Turnbeck Umberfield Underfell Upwick Valemont Varnholt Velmoor Verdalin Vestergard Vinebrook
    Vossmere Wadebury Walderfar Warrenby Waterleigh Wealdmark Wellmoor Wendale Westerlin Wexbrae
    Whinfell Wickmere Wildhaven Willoughgate Winderly Woodmarch Wrenfield Wyvale Yarborn
    Yellowfen Yewmark Yorvik Zellmark Zephrane Abendorf Birkholm Cassmere Dellaryn Ferrowick
    Gantrell Hesperlin Jettmoor Kronvale Lumenby Mistrane Novaryn Pallander Quenby Sorrelby
    Tessaly Ulvermoor Vandrell Wisperfen
    """.split()
}

KINDS: dict[str, tuple[str, str]] = {
    "Logistics": ("logistics", "Transport"),
    "Freight": ("freight", "Transport"),
    "Foods": ("foods", "Food and drink"),
    "Beverages": ("beverages", "Food and drink"),
    "Bakeries": ("bakeries", "Food and drink"),
    "Instruments": ("instruments", "Precision instruments"),
    "Optics": ("optics", "Precision instruments"),
    "Software": ("software", "Information technology"),
    "Networks": ("networks", "Information technology"),
    "Analytics": ("analytics", "Information technology"),
    "Robotics": ("robotics", "Machinery"),
    "Machinery": ("machinery", "Machinery"),
    "Tools": ("tools", "Machinery"),
    "Motors": ("motors", "Automotive"),
    "Components": ("components", "Automotive"),
    "Energy": ("energy", "Energy"),
    "Solar": ("solar", "Energy"),
    "Textiles": ("textiles", "Textiles"),
    "Apparel": ("apparel", "Textiles"),
    "Furniture": ("furniture", "Furnishing"),
    "Interiors": ("interiors", "Furnishing"),
    "Chemicals": ("chemicals", "Chemicals"),
    "Coatings": ("coatings", "Chemicals"),
    "Plastics": ("plastics", "Chemicals"),
    "Pharma": ("pharma", "Health"),
    "Diagnostics": ("diagnostics", "Health"),
    "Clinics": ("clinics", "Health"),
    "Insurance": ("insurance", "Financial services"),
    "Leasing": ("leasing", "Financial services"),
    "Publishing": ("publishing", "Media"),
    "Studios": ("studios", "Media"),
    "Hotels": ("hotels", "Hospitality"),
    "Travel": ("travel", "Hospitality"),
    "Construction": ("construction", "Construction"),
    "Timber": ("timber", "Construction"),
    "Packaging": ("packaging", "Packaging"),
}

MANAGER = "Account Manager"

DEPARTMENTS: dict[str, tuple[str, list[str]]] = {
    "Sales": ("Sales", ["Sales Director", "Sales Representative", "Inside Sales Specialist"]),
    "Finance": ("Finance", ["Finance Director", "Accountant", "Controller", "Payables Clerk"]),
    "Operations": ("Operations", ["Operations Manager", "Shift Planner", "Operations Analyst"]),
    "Human Resources": ("Human Resources", ["HR Manager", "Recruiter", "Payroll Specialist"]),
    "IT": ("IT", ["IT Manager", "Systems Administrator", "Security Engineer", "Data Engineer"]),
    "Legal": ("Legal", ["General Counsel", "Contract Manager", "Compliance Officer"]),
    "Procurement": ("Procurement", ["Head of Procurement", "Buyer", "Vendor Manager"]),
    "Marketing": ("Marketing", ["Marketing Manager", "Content Editor", "Campaign Manager"]),
    "Support": ("Support", ["Support Lead", "Support Engineer", "Service Coordinator"]),
    "Product": ("Product", ["Product Manager", "Product Designer", "Software Developer"]),
    "Management": ("Management", ["Managing Director", "Chief of Staff", "Executive Assistant"]),
}

# name, country, zone, currency, telephone prefix of a fictional range
CITIES: list[tuple[str, str, str, str, str]] = [
    ("Berlin", "DE", "Europe/Berlin", "EUR", "+49 30 5550"),
    ("Hamburg", "DE", "Europe/Berlin", "EUR", "+49 40 5550"),
    ("Munich", "DE", "Europe/Berlin", "EUR", "+49 89 5550"),
    ("Cologne", "DE", "Europe/Berlin", "EUR", "+49 221 5550"),
    ("Vienna", "AT", "Europe/Vienna", "EUR", "+43 1 5550"),
    ("Graz", "AT", "Europe/Vienna", "EUR", "+43 316 5550"),
    ("Amsterdam", "NL", "Europe/Amsterdam", "EUR", "+31 20 555"),
    ("Utrecht", "NL", "Europe/Amsterdam", "EUR", "+31 30 555"),
    ("Dublin", "IE", "Europe/Dublin", "EUR", "+353 1 555"),
    ("Cork", "IE", "Europe/Dublin", "EUR", "+353 21 555"),
    ("Luxembourg", "LU", "Europe/Luxembourg", "EUR", "+352 5550"),
    ("London", "GB", "Europe/London", "GBP", "+44 20 5550"),
    ("Manchester", "GB", "Europe/London", "GBP", "+44 161 555"),
    ("Leeds", "GB", "Europe/London", "GBP", "+44 113 555"),
    ("Bristol", "GB", "Europe/London", "GBP", "+44 117 555"),
    ("Edinburgh", "GB", "Europe/London", "GBP", "+44 131 555"),
    ("Cardiff", "GB", "Europe/London", "GBP", "+44 29 5550"),
    ("Chicago", "US", "America/Chicago", "USD", "+1 312 555"),
    ("Houston", "US", "America/Chicago", "USD", "+1 713 555"),
    ("Minneapolis", "US", "America/Chicago", "USD", "+1 612 555"),
    ("Boston", "US", "America/New_York", "USD", "+1 617 555"),
    ("Philadelphia", "US", "America/New_York", "USD", "+1 215 555"),
    ("Denver", "US", "America/Denver", "USD", "+1 303 555"),
    ("Seattle", "US", "America/Los_Angeles", "USD", "+1 206 555"),
    ("Portland", "US", "America/Los_Angeles", "USD", "+1 503 555"),
]

STREETS: list[str] = [
    f"{name} {way}"
    for way in ("Street", "Avenue", "Lane")
    for name in """
    Anchor Arbor Beacon Brewery Canal Castle Chapel Cherry Chestnut Copper Depot Dock Elm Ferry
    Foundry Garden Granary Harbour Hill Juniper Lantern Linden Market Meadow Mill Orchard Park
    Quarry Station Tannery Weaver Windmill
    """.split()
]
