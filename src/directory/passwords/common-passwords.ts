/**
 * Passwords and parts of passwords that guessers try first: lower case, without accents, spaces and punctuation.
 *
 * Compiled by hand for this project, from what studies of leaked passwords agree on: people take a name, a pet, a club,
 * a place, a season, a word of love or an insult, and add a few digits. No leaked list was copied. Since a password has
 * at least 15 characters, whole leaked passwords hardly matter; these words, doubled or padded, do. Words under four
 * letters, rows of keys and sequences are left out: substance.ts finds those by rule.
 */
const words = `
access account accounts adgangskode admin administrador administrateur administrator amazon android anonymous apple
backup bemvindo benutzer benvenuto bienvenido bienvenue business change changeit changeme changethis cisco clave
client college company computer contrasena contrasenia corporate cracker customer database debian default demo deploy
desktop develop developer development devops discord docker doctor ebay elastic employee engineer enter enterprise
entrar example facebook fortnite gast geheim geheimnis geslo github gitlab gmail google guest hacked hacker hackme
haslo helpdesk hemligt hemmelig heslo hospital hostmaster hotmail huawei instagram internet invite iphone jelszo
jenkins kata katasandi kennwort keyboard keys kodeord kubernetes laptop letmein letmeinnow linkedin linux local
localhost lock locked login logon losen losenord lozinka manager master masterkey matkhau matrix microsoft minecraft
mongo monitor motdepasse motorola mykey mypassword myspace mysql netflix network newpassword newuser nintendo nobody
nokia nurse office online opensesame openup operator oracle outlook owner parol parola parole parool pass passcode
passe passkey passphrase passw passwd password passwort paypal playstation pleasechange pokemon postgres postgresql
printer private prod production public redhat redis remote roblox root router safe safety salasana sample samsung
sandi school secret secreto secrets secure securepass security segreto senha server service services sesame sifra
sifre signin signup skype slack snapchat spotify staff staging student superadmin superuser supervisor support
sysadmin sysop system tajne teacher temp temporal temporary test tester testing tests testtest testuser tiktok toor
topsecret trust trustno trustnoone twitter ubuntu university unlock unlocked user username users usuario wachtwoord
webmaster website welcome welcomeback welkom whatsapp wifi willkommen windows wireless xbox xiaomi yahoo yourpassword
youtube zoom

1qaz 2wsx a1b2c3 a1b2c3d4 aaa111 abc123 abcd abcde abcdef abcdefg abcdefgh admin123 aloha alphabet always amazing
amor amore amour angel angelo angels anything asd123 asdf asdfgh asshole awesome azerty babe baby babyboy babydoll
babygirl bastard beautiful beauty best better billion birthday bitch biteme blowjob blowme bonjour bonsoir bullshit
cantremember champion christmas ciao cool coolcool correct damnit darling dear dearest demon devil difficult dontcare
dontknow easter easy eight everyone everything false first five forever forget forgot forgotten four fuck fucker
fucking fuckme fuckoff fuckyou game gameover gamer games good goodbye goodluck goodmorning goodnight great hallo
halloween handsome happiness happy happybirthday happyday hard heaven heavenly hell hellfire hello hellohello
hellokitty helloworld hola holiday honey honeybun hottie hundred ichliebedich idontknow idunno iforgot ihatepasswords
ihatethis ihateyou ilovecats ilovedogs ilovegod iloveher ilovehim ilovejesus iloveme ilovemom ilovemyself iloveu
iloveyou iloveyoumore iloveyousomuch incorrect jetaime king kingdom kissme last lets letsgo liebe loser love lovelove
lovely loveme lover loverboy lovergirl lovers lovestory loveyou lucifer luvyou maybe merrychristmas million morning
motherfucker mysecret namaste never neverland newyear night nine nono noone nothing number numberone okay onetwothree
party pass123 peace peaceout perfect play playboy player playgirl please pretty prince princesa princess principe
privet queen qwe123 qwer qwert qwerty qwertz random remember right royal salut santa santaclaus satan second
secretpassword seven sexy sexyboy sexygirl shit simple someone something sorry strong stronger strongpassword suckit
sucks sugar super superb supersecret sweet sweetheart sweetie sweetness teamo tequiero test123 thanks thankyou third
thousand three tiamo troubador troubadour true truelove vacation weak weekend whatever whocares winner wonderful
wrong xmas xsw2 yesyes zaq1 zero zxcv zxcvb

aaron abby abigail adam adrian adriana agnes ahmed aidan alan albert alberto alejandra alejandro aleksandr alessandro
alex alexa alexander alexandra alexandre alexandru alexis alfred alfredo alice alicia alina alison allison alyssa
amanda amber amelia amina amit andre andrea andreas andreea andrei andres andrew andrey andy angela angelica angelina
anita anna annabelle anne annette annie anthony antoine anton antonia antonio april ariana ariel arthur arturo ashley
ashton astrid audrey august aurora austin autumn barbara barry beatrice beatriz becky benjamin bernard bernardo beth
bethany betty beverly bianca bill billy bobby bonnie brad bradley brandi brandon brandy brenda brendan brett brian
brianna bridget britney brittany brooke bruce bruno bryan caitlin caleb calvin cameron camila camille candice carina
carl carla carlos carmen carol carolina caroline carrie casey cassandra cassie catalina catherine cathy cecilia
celine chad charlene charles charlie charlotte chelsea cheryl chester chloe chris christian christina christine
christoph christophe christopher cindy claire clara clarence clarissa claude claudia clayton clement cody colin
connor corey courtney craig cristian cristina crystal curtis cynthia daisy dakota dallas damian damien daniel daniela
daniele danielle danny dario darius darren dave david dawn dean debbie deborah deepak denis denise dennis derek
destiny diana diane diego dieter dimitri dmitri dominic dominik dominique donald donna doris dorothy douglas duncan
dustin dylan eddie eduardo edward edwin eileen elaine eleanor elena eliana elias elijah elisabeth eliza elizabeth
ella ellen elodie emily emma emmanuel enrique eric erica erik erika erin ernest ernesto esteban esther ethan eugene
evan evelyn fabian faith fatima felicia felipe felix fernanda fernando fiona florence florian frances francesca
francesco francis francisco franco frank frankie franklin franz fred freddie freddy frederic frederick frederik
gabriel gabriela gabrielle gareth gary gavin gemma geoffrey george georgia gerald gerard gerardo gianluca gilbert
gina giovanni giulia giuseppe gladys glenn gloria gordon grace graham grant greg gregor gregory guillaume guillermo
gustavo hannah hans harold harriet harry harvey hassan heather hector heidi helen helena helene henri henrik henry
herbert herman hilary holly howard hugo hunter ibrahim ignacio igor ingrid irene irina iris isaac isabel isabella
isabelle ivan jack jackie jackson jacob jacqueline jacques jade jaime jake james jamie jane janet janice jared jasmin
jasmine jason javier jean jeanette jeff jeffrey jenna jennifer jenny jeremy jerome jerry jesse jessica jessie jesus
jill jimmy joan joanna joanne joaquin jocelyn jodie joel joey johan johann johanna john johnny johnson jonas jonathan
jordan jorge jose josef joseph josephine joshua joyce juan juanita judith judy julia julian juliana julie julien
juliet juliette julio justin justine karen karin karina karl karla kate katelyn katerina katharina katherine kathleen
kathryn kathy katie katrina kayla keith kelly kelsey kenneth kenny kerry kevin kimberly kirsten klaus krishna kristen
kristian kristin kristina kristy krystal kurt kyle lance larry laura lauren laurence laurent laurie lawrence leah
leandro lena leon leonard leonardo leonie leslie lewis liam lilian lillian lily linda lindsay lindsey lisa logan
lorena lorenzo loretta lori lorraine louis louise luca lucas lucia lucian luciana lucie lucy luis luisa lukas luke
lydia lynn mackenzie maddie madeline madison magdalena manuel manuela marc marcel marcela marcella marcello marcelo
marcia marco marcos marcus margaret margarita margot maria mariah mariam marian mariana marianne marie marilyn marina
mario marion marisa marissa marius mark marlene marlon marta martha martin martina martinez mary mason mateo mathew
mathias mathieu mathilde matilda matt matteo matthew matthias matthieu maureen maurice mauricio maxim maxime
maximilian maxwell megan mehmet melanie melinda melissa mercedes meredith micaela michael michaela micheal michel
michela michele michelle miguel mihai mike mikhail milan mildred miles miranda miriam mitchell mohamed mohammad
mohammed moises molly monica monika monique morgan moritz muhammad mustafa myriam nadia nadine nancy naomi natalia
natalie natasha nathalie nathan nathaniel neil nelson nicholas nick nicola nicolas nicole nigel nikita nikki niklas
nikolai nina noah noel nora norman octavia oleg oliver olivia olivier omar oscar oswald otto pablo pamela paola paolo
pascal patricia patricio patrick patrizia patty paul paula paulina pauline paulo pavel pedro peggy penelope penny
pete peter petra philip philipp philippe phillip phoebe pierre priscilla priya rachel rafael rahul rajesh ralph ramon
randall randy raphael raquel raul raymond rebecca regina reinhard rene renee ricardo riccardo richard rick ricky rita
robert roberta roberto robin rodney rodrigo roger roland rolando romain roman ronald ronaldo ronnie rosa rosalie
rosario rose rosemary rosie ross rowena roxanne ruben rudolf russell ruth ryan sabine sabrina salvador salvatore
samantha sammy samuel sandra sandy sanjay santiago sara sarah sasha saskia scott sean sebastian selena serena serge
sergei sergey sergio shane shannon sharon shaun shawn sheila shelby shelly sherry shirley sierra silvia simon simona
simone sofia sonia sophia sophie spencer stacey stacy stanley stefan stefania stefano stella stephan stephane
stephanie stephen steve steven stuart sunny suresh susan susana susanne suzanne svetlana sydney sylvia sylvie tamara
tammy tania tanja tanya tara tatiana taylor teresa terry thelma theodore theresa thomas tiffany timothy tina tobias
todd tommy tony tracey tracy travis trevor tristan tyler ulrich ursula valentin valentina valeria valerie vanessa
vera verena veronica veronika veronique victor victoria vincent vincenzo viola violet virginia vivian vladimir walter
wanda warren wayne wendy wesley wilhelm william willie wolfgang xavier yasmin yolanda yvonne zachary zoltan

adams ahmad allen almeida alvarez anderson andrews bailey baker barnes bauer becker bennett brooks brown bryant
butler campbell carter castillo castro chavez clark coleman collins cooper costa cruz davies davis diaz dubois
edwards evans ferguson fernandez ferrari ferreira fischer fisher flores foster fuentes garcia gomez gonzales gonzalez
griffin gupta gutierrez hamilton hansen harris harrison hernandez herrera hoffman hoffmann hughes ivanov jensen
jimenez jones kaiser keller kennedy klein koch kowalski kumar larsen lefebvre lehmann leroy lincoln lopez maier
marshall martins mcdonald medina mendez mendoza meyer miller moore morales moreau moreno morris morrison mueller
muller murphy murray navarro nguyen nielsen novak obrien olsen ortega ortiz parker patel patterson pereira perez
peters peterson petrov phillips popescu powell price ramirez ramos reyes reynolds richards richardson richter rivera
roberts robertson robinson rodrigues rodriguez rogers romero rossi ruiz russo sanchez sanders santana santos schmidt
schmitt schneider schroeder schulz schwartz sharma silva simmons singh smirnov smith stewart sullivan svensson
thompson torres turner vargas vasquez wagner walker wallace ward washington watson weber werner white williams wilson
winkler wood wright young zimmermann

animal animals apples apricot avocado badboy badger banana bananas beach bear bears beaver berry bigbear bird birds
blackberry blossom blueberry bluebird boomer breeze bull bulldog bulls bunny butterfly camel candy caramel catdog
catlover cats cheese cheesecake cheetah cherry chicken chocolate cinnamon cloud clover cobra cocacola coconut coffee
cola condor cookie cookies cougar cowboy cowboys cowgirl coyote cricket crocodile cupcake deer diamond diamonds dingo
dogdog doggie doggy dogs dolphin dolphins donkey donut dragon dragonfly dragons duck ducky eagle eagles earth
elephant emerald falcon falcons ferret fish fishing flamingo flower flowers forest foxes foxy frog froggy fruit
garden gazelle gecko ginger giraffe goat gold golden goldfish goldie gorilla grape grapes grass green greenday
grizzly hamster hawk hawks hazel heart hearts hedgehog hippo hornet horse horses hotdog husky icecream iguana island
ivory jackal jaguar jaguars jelly jellybean joker juice jungle kangaroo kitkat kitten kittens kitty kittycat koala
ladybug lake lavender lemon lemonade leopard lightning lime lion lions lizard llama lobster lollipop mammoth mango
maple marshmallow melon milk mint mongoose monkey monkeys moon moonlight moonshine moose mountain mouse muffin
mushroom mustang nature nutmeg ocean octopus olive onion orange oranges orca orchid ostrich otter owls panda pandas
panther panthers paradise parrot peach peaches peacock peanut peanuts pearl pelican penguin penguins pepper
peppermint pepsi phoenix pickle pickles pigeon piggy piglet pineapple pitbull pizza planet plum pony popcorn poppy
potato puma pumpkin puppies puppy purple pussy pussycat python rabbit raccoon rain rainbow rainbows rams raptor
raspberry raven ravens rhino river rock rocks rocky rooster rosebud roses ruby saffron salmon sapphire scorpion
seagull shadow shark sharks sheep silver skunk skyline snake snoopy snow snowball snowflake snowman sparrow spider
spring squirrel stallion star starfish starlight stars stingray stone storm stormy strawberry summer summertime
sunday sunflower sunlight sunrise sunset sunshine sunshines swan thunder tiger tigers tigger tomato tornado tortoise
toucan tree trees tropical tulip tulips turkey turtle twilight unicorn universe vanilla volcano vulture walrus wasp
water waterfall watermelon weather whale whiskey wildcat wildcats willow wind winter wolf wolfpack wolverine wolves
woods worm zebra

acdc aerosmith alien aliens arsenal astonvilla athletic audi avatar avengers barbie barca barcelona baseball
basketball batman bayern beatles benfica bentley bigred blackmetal blink182 bluejays bobmarley bond bonjovi bowie
boxing braves broncos browns bruins buckeyes buffalo bugatti bulldogs cadillac camaro canucks captain captainamerica
casper celtic celtics challenger charger chargers charmed chelseafc chevrolet chevy chiefs chivas cinderella coach
coldplay conan corinthians corolla corvette cubs cycling darth darthvader deadpool dexter digimon disney dodge
dodgers donaldduck dortmund dracula dragonball dragonballz drogba drummer drums ducati dumbledore eminem evanescence
everton excalibur fantasy fener fenerbahce fiesta finalfantasy flamengo flash floyd football footballer ford frodo
frozen fussball futbol galatasaray gandalf garfield giants gladiator goalie godfather godzilla goku golf golfer
gollum greatness guitar guitars gunners gunsnroses gymnast hannibal harley harleydavidson harrypotter hendrix heroes
hiphop hobbit hockey hogwarts homer honda hotspur huskers hyundai inter ironmaiden ironman jamesbond jazz jedi jeep
justinbieber juventus karate kawasaki kickboxing kirby korn lakers lamborghini ledzeppelin legend legends legolas
lennon lexus linkinpark liverpool liverpoolfc longhorns lordoftherings lost luigi madonna magic magical magician
manchester manchesterunited mancity manunited marathon mariners marley marvel mavericks mazda mclaren megadeth messi
metallica michaeljackson mickey mickeymouse milano minnie mitsubishi mordor morpheus mozart music musica musician
napoli naruto nascar nemo newcastle ninja ninjas nirvana nissan odyssey onedirection optimus packers padres patriots
peterpan peugeot piano pikachu pinkfloyd pirate pirates pistons popeye porsche power powerful powerrangers predator
punisher punk racecar racing raiders rambo rammstein rangers realmadrid redskins redsox redwings reggae renault
rihanna riverplate robinhood robocop robot rockandroll rocknroll rockstar rolling rollingstones rovers rugby runner
running saturn scarface schalke scooby scoobydoo score seahawks sephiroth shakira shrek simpson simpsons sinatra
singer singing skate skateboard skater skiing skillet skywalker slayer slipknot snowboard soccer softball song songs
sonic southampton southpark spartacus spartak spartan spartans speed spiderman spongebob spurs stargate startrek
starwars steelers stitch striker subaru supergirl superman supernova superstar surfer surfing suzuki swimmer swimming
tarzan techno tennis terminator tesla tetris thor tinkerbell titan titanic tottenham toyota transformers trinity
triumph truck trucks trumpet tupac turbo united usher vader vampire vampires venom vikings violin volkswagen
volleyball volvo warcraft warhammer warlock warrior warriors westham wizard wonderwoman wrestling xfiles yamaha
yankees yoda zelda zeppelin zidane zombie zombies zorro

action africa aikido airborne aircraft airforce airplane aishiteru ajax alaska allah alpha alskling america american
amiga amigo amigos amoremio amoureux amsterdam anarchy angelofdeath anjing apollo aquarius archer argentina aries
arigato arizona army arrow arschloch asia askim assassin athens atlanta atlantis atomic aurinko australia austria
automne azertyuiop bandit bangkok beijing belgium believe believer berlin besiktas bestfriend bestfriends bestie beta
bible bigboss bigboy bigdaddy bigdog bigman bingo bismillah bisous bitcoin black blackcat blackdog blackdragon
blackjack blackrose blackstar blacky blade blaster blaze blessed blessing blizzard blondie blue blueeyes bluemoon
bluesky bluestar bogota bomb bomber bonita boomerang boss boston bounce boyfriend boys brasil brazil britain british
brooklyn brother brothers brussels bubba bubble bubblegum bubbles bucharest budapest buddha buddy buenosaires bullet
buster butthead button california camera canada cancer candle canim capricorn caracas carpet cash castle catholic
century chaos chemistry chess chicago chick chief child children chile china chocolat chopper chouchou christ church
ciaociao cigar cincinnati cinta circus classic cleveland clown colombia colorado comet compass concrete copenhagen
copper corazon coucou courage crazy crazyboy crazygirl creative creativity crimson cristo croatia crusher crypto
cutie cutiepie cyber cyclone czekolada daddy dance dancer dancing danger dangerous dark darkangel darkknight darkness
darkstar death deathnote december defender delta denmark denver design designer destroy destroyer detective detroit
deutschland dezember dienstag diosesamor dirty disaster discovery dollar dollars donnerstag doom doraemon doudou
dream dreamer dreaming dreams drive driver dublin dude dupa dynamite eclipse ecuador edinburgh egypt einhorn electric
electro electronic element elite empire energy engel engine england english escape espana estate estrella eternity
euro europe evil evolution explorer explosion express extreme eyes fairy faithful familia familie famille family
fashion father februar february felicidad feyenoord fick ficken fighter finland fire fireball firebird firefly
firefox fireman firewall fitness flipper florida flyer fortune forzamilan france francia frankfurt freedom freitag
friday friend friends friendship frosty fruehling funny funnyface fusion future galaxy gamma gangsta gangster gatinha
gemini genesis geneva genius german germany ghost giant girl girlfriend girls glamour glasgow global glory godbless
goddess godisgood godislove goofy grandma grandpa gravity gray greece guardian gunner hallelujah hallihallo hamburg
hammer happyfeet hardcore harmony hase hasi hawaii hawkeye health hejhej helsinki herbst hermana hermano hermosa
highlander history hiver hoihoi holland hollywood holy holyspirit homework hongkong honor hooters hope hopeful horny
hotgirl hotrod hotstuff house houston hungary hunting hurensohn hurricane husband hustler icecold icecube iceland
iceman imagine immortal impact india indian indiana indigo indonesia inferno infinity inshallah inspiration integrity
intel intelligence inverno invierno invincible iran iraq ireland irish islam israel istanbul italia italian italy
jackass jackpot jakarta jamaica januar january japan japanese jasper jehovah jester jesuschrist jesusislord
jesuslovesme jesussaves jesusteamo jewel journey juli july june juni junior juniors jupiter justice justme kaerlighed
kansas kentucky kenya kids kiev killbill killer killers killme kissa knight knights kocham kochamcie kochanie koira
korea kosovo kotenok kurwa ladies lady lamer laser lasvegas lebanon legacy legion lesbian liberty libra liebling
lieverd light lights lightsaber limited lisbon lithuania little littleone lol123 london lonely loner lonewolf
longhair looking losangeles louisiana loulou lubie lubimaya lucky luckycharm luckydog luckyone lunatic lyubov machine
madman madrid maerz magenta magnum malaysia mama maman maniac manila march marine marines mariposa marriage married
mars marseille marvin maryland matkaboska maus mausi maverick maximus medical melbourne mellow melody memory memphis
mercury mermaid meuamor mexican mexicano mexico miami michigan midget midnight midsummer military millennium
millionaire minhavida minnesota miracle misiek mittwoch mivida mobile models mommy monday money moneymoney monopoly
monster monsters montag montana montreal moonbeam morocco moscow mother motor movie movies muenchen mumbai mummy
munich muscle muslim mustard mutter mystery nashville nastya natural natuurlijk naughty navy nebraska nederland
nemesis nepal neptune netherlands nevada newjersey newyork newyorkcity nigeria nightmare nightwolf nineteen noodle
noodles norway november novembre nuclear nymph october ohio oklahoma oktober omega ontario orbit oregon original
orlando otono outlaw outsider oxygen pacman pakistan palermo panama pancake papa papillon paris passion passport
patience patriot peewee pencil pennsylvania people perkele peru philippines photo photos picture pictures pilot pimp
pimpin pink pinky pinnacle pisces piss pistol playtime pleasure pluto poetry poison poker poland police polska polski
poohbear poop poopie popstar porn porno portland portugal prague praise pray prayer preciosa precious pressure
primavera printemps problem professional professor project promise psycho puppet puppylove puzzle quality quebec
quest question radio rahasia rainman rascal reaper rebel rebels rebirth reddog redneck redrose regional religion
renegade republic respect revenge revolution rhythm ringo rocket rockets rockon roma romance romania romantic rome
romeo rookie russia russian rusty sagittarius saint saints sakura salvation samstag samurai sandiego sanfrancisco
saopaulo saranghae saturday saudade savior sayang scandal scarlet schatje schatz schatzi scheisse science scissors
scooter scorpio scotland screamer search seattle september serbia serenity seviyorum sexsex shadows shalom shanghai
shopping shorty shotgun sicilia sigma silence silly singapore sister sisters skeleton skinny skipper skull slick
slippery slovakia slovenia slugger smile smiles smiley smokey smoking smooth snicker snickers sniper snuggles soldier
soleil solnce solnishko sommaren sommer sonne sonnenschein sonntag spain sparkle sparky special spirit spiritual
spooky sport sports stalker standard stardust starter station stealth steel stellina sterling stockholm stranger
street strength stupid sublime success sucker suicide summit suomi supreme surprise survivor sverige swagger sweden
switzerland sword swordfish symphony tacoma taiwan tampa target tattoo taurus teddy teddybear teenager temple
tennessee tequieromucho tequila terror tesoro texas thailand thebeast thebest theboss thegame thegod thekiller
theking theman theone therock think thinking thug thuglife thursday tigerwoods tiny today toilet tokyo tomorrow
toolbox topgun toronto toulouse tower toys tractor trading training travel traveler treasure trigger triple trojan
trouble trucker tuesday tunisia turkiye tweety twins twister ukraine ultimate ultra undertaker unique unknown uranus
urban uruguay utopia valencia valley vancouver vater vegeta velvet vendetta venezuela venice venture venus verano
verao vermont victory vienna vietnam viking village viper virgo virus vision voodoo voyager wallpaper warsaw warszawa
watashi wealth weapon webster wedding wednesday welkom01 whitey wicked wife wild wildcard wildfire winnie
winniethepooh winston wisconsin wisdom woaini woman women wonder wonderboy wonderland woody woohoo working world
worldwide worship wyoming xiaoming xtreme yellow yellowstone yesterday yourmom yoyo yugoslavia zagreb zenith zeus
zurich zvezda

αγαπη γιωργος ελλαδα κωδικος κωδικός σαγαπω админ администратор александр александра анастасия андрей владимир динамо
дмитрий екатерина зайка зенит котенок любимая люблю люблютебя любовь максим мамочка марина москва настя наташа
николай пароль пользователь привет россия светлана секрет сергей солнце солнышко спартак татьяна אהבה סיסמה שלום الله
حبيبي كلمةالسر كلمةالمرور محمد あいうえお ぱすわーど パスワード 비밀번호 사랑해요 안녕하세요
`

const sentences = `
abcdefghijklmnopqrstuvwxyz administratorpassword alleskleinundgross allyouneedislove allyourbasearebelongtous
anappleadaykeepsthedoctoraway antidisestablishmentarianism asknotwhatyourcountrycandoforyou averylongpassword
averysecurepassword averystrongpassword beammeupscotty bohemianrhapsody bondjamesbond callmeishmael changemeplease
changethispassword contrasenasegura correctbatteryhorsestaple correcthorsebatterystaple dasisteinpasswort
dasistmeinpasswort defaultpassword donotforgetthis dontforgetthis dontstopbelieving dontworrybehappy
einszweidreivierfuenf elementarymydearwatson enterpasswordhere enteryourpassword estaesmicontrasena eusemprevouteamar
forgodsolovedtheworld fourscoreandsevenyearsago franklymydearidontgiveadamn fuckyoufuckyou givemelibertyorgivemedeath
godisgoodallthetime gofuckyourself guessmypassword guessthispassword hakunamatataforever happybirthdaytoyou
hastalavistababy heresjohnnyheresjohnny highwaytohell hotelcalifornia houstonwehaveaproblem humptydumptysatonawall
iamlegendiamlegend iamthebestever iamthebestintheworld iamthegreatest iamyourfatherluke icantremembermypassword
ichliebedichfuerimmer ichliebedichsosehr idontknowmypassword iforgotmypassword iforgotthepassword
ihaveadreamthatoneday illalwaysloveyou illbebackillbeback ilovemyboyfriend ilovemyfamilyverymuch ilovemygirlfriend
ilovemyhusband iloveyoubabygirl iloveyouforever iloveyouforeverandever iloveyoujesuschrist iloveyousomuchbaby
iloveyoutothemoonandback iloveyouverymuch incorrectpassword initialpassword inthebeginninggodcreated
inthebeginningwastheword inthenameofthefather isolemnlyswearthatiamuptonogood itwasthebestoftimes
itwasthebestoftimesitwastheworstoftimes iwanttoholdyourhand iwillalwaysloveyou jackandjillwentupthehill
jesuslovesmethisiknow jetaimepourtoujours kissmyassplease knockinonheavensdoor letitbeletitbe letitgoletitgo
letmeinplease lifeislikeaboxofchocolates livelongandprosper liverpoolfootballclub loremipsumdolor
loremipsumdolorsitamet lukeiamyourfather manchesterunitedfc maryhadalittlelamb maytheforcebewithyou
meinpasswortistgeheim micontrasenasecreta minhasenhasecreta mischiefmanaged monmotdepasse motdepassesecret
mothersmaidenname mynameisbondjamesbond mypasswordispassword mypasswordissecret mypasswordissecure mysecretpassword
mysupersecretpassword neverevergiveup nevergonnagiveyouup nevergonnagiveyouupnevergonnaletyoudown nobodywillguessthis
noonewilleverguessthis onceuponatime onedoesnotsimplywalkintomordor oneringtorulethemall onetwothreefour
onetwothreefourfive opensesameopensesame ourfatherwhoartinheaven ourfatherwhoartinheavenhallowedbethyname
passwordispassword pleasechangeme pleasechangethispassword pleaseletmein pleaseletmeinnow
pneumonoultramicroscopicsilicovolcanoconiosis practicemakesperfect rememberthispassword rosesareredvioletsareblue
rowrowrowyourboat sexdrugsandrockandroll sexdrugsrocknroll smellsliketeenspirit solongandthanksforallthefish
stairwaytoheaven supercalifragilisticexpialidocious supersecretpassword superstrongpassword sweetchildofmine
sweetdreamsaremadeofthis teamomuchomiamor teamoparasiempre temporarypassword theanswerisfortytwo thelordismyshepherd
thepasswordisincorrect thepasswordispassword thequickbrownfox thequickbrownfoxjumped
thequickbrownfoxjumpsoverthelazydog thisisalongpassword thisisapassword thisisasecret thisisasecurepassword
thisisastrongpassword thisisaverylongpassword thisisaverystrongpassword thisismynewpassword thisismypassword
thisismypasswordandnooneelse thispasswordissecure tobeornottobe tobeornottobethatisthequestion trustnoonebutme
twinkletwinklelittlestar unodostrescuatrocinco verylongpassword verysecretpassword verysecurepassword
verystrongpassword wearethechampions wethepeopleoftheunitedstates wewillrockyou wewillwewillrockyou
whatdoesntkillyoumakesyoustronger whatismypassword whatisthepassword whatsthepassword winteriscoming
wrongpasswordtryagain youcantguessthis youknownothingjonsnow youllneverguess youllneverwalkalone youmustchangethis
youneverwalkalone yourpasswordisincorrect youshallnotpass youwillneverguess
`

let byBeginning: Map<string, string[]> | undefined

/** The words that can follow at this place, by their first four letters; no word is shorter. */
export function commonPasswordsAt(text: string, at: number): readonly string[] {
  // Built on first use: many services never set a password.
  byBeginning ??= Map.groupBy(`${words} ${sentences}`.trim().split(/\s+/), (word) => word.slice(0, 4))
  return byBeginning.get(text.slice(at, at + 4)) ?? []
}
