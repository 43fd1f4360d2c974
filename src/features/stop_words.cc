#include "features/stop_words.h"

#include <algorithm>
#include <sstream>

#include "features/unicode.h"

namespace benzer::internal {
namespace {

struct List {
  std::string_view language;
  const char* words;  // separated by blanks, in their usual spelling
};

// Function words: articles, pronouns, prepositions, conjunctions, auxiliary verbs, particles. Words
// that the rules split are listed as their parts (don't: don t).
constexpr List kLists[] = {
    {"de",
     "aber alle allem allen aller alles als also am an ander andere anderem anderen anderer "
     "anderes "
     "auch auf aus bei beim bin bis bist da dabei dadurch dafür dagegen daher dahin damit danach "
     "daneben dann daran darauf daraus darf darin darum darunter darüber das dass daß davon davor "
     "dazu dein deine deinem deinen deiner deines dem den denen denn der deren des deshalb dessen "
     "dich die dies diese dieselbe dieselben diesem diesen dieser dieses dir doch dort du durch "
     "dürfen ein eine einem einen einer eines einige einigem einigen einiger einiges er es etwas "
     "euch euer eure eurem euren eurer für gegen habe haben habt hat hatte hatten hattest hier hin "
     "hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer ihres im in indem ins ist ja jede jedem "
     "jeden jeder jedes jene jenem jenen jener jenes jetzt kann kein keine keinem keinen keiner "
     "können könnte man manche manchem manchen mancher manches mein meine meinem meinen meiner "
     "meines mich mir mit muss musste müssen nach nicht nichts noch nun nur ob obwohl oder ohne "
     "sehr sein seine seinem seinen seiner seines seit selbst sich sie sind so sobald solche "
     "solchem solchen solcher solches soll sollen sollte sondern sonst sowie um und uns unser "
     "unsere unserem unseren unserer unter viel vom von vor war waren warst warum was weg weil "
     "weiter welche welchem welchen welcher welches wenn wer werde werden wessen wie wieder will "
     "wir wird wirst wo wollen wollte worden wurde wurden während würde würden zu zum zur zwar "
     "zwischen über"},
    {"en",
     "a about above after again against all am an and any are aren as at be because been before "
     "being below between both but by can cannot could couldn d did didn do does doesn doing don "
     "down during each either else ever few for from further had hadn has hasn have haven having "
     "he her here hers herself him himself his how however i if in into is isn it its itself just "
     "ll m may me might more most must my myself neither no nor not of off on once only or other "
     "our ours ourselves out over own re s same shall shan she should shouldn since so some such t "
     "than that the their theirs them themselves then there these they this those though through "
     "to too under until up upon us ve very was wasn we were weren what when where whether which "
     "while who whom whose why will with within without won would wouldn yet you your yours "
     "yourself yourselves"},
    {"es",
     "a al algo alguien algún alguna algunas alguno algunos ante antes aquel aquella aquellas "
     "aquello aquellos aquí así aun aunque aún bajo bien cada casi como con contra cual cuales "
     "cuando cuanto cuál cuándo cómo de del desde donde durante dónde e el ella ellas ello ellos "
     "en entonces entre era erais eran eras eres es esa esas ese eso esos esta estaba estaban "
     "estado estamos estar estas este esto estos estoy está están fue fuera fueron fui fuimos ha "
     "haber había habían han has hasta hay he hemos hubo la las le les lo los luego me mi mientras "
     "mis misma mismas mismo mismos mucho muy más mí nada ni no nos nosotras nosotros nuestra "
     "nuestras nuestro nuestros nunca o os otra otras otro otros para pero poco por porque pues "
     "que quien quienes quién qué se sea sean según ser si sido siempre siendo sin sino sobre sois "
     "somos son soy su sus suya suyas suyo suyos sí sólo también tampoco tan tanto te tenemos "
     "tener tengo tenía ti tiene tienen toda todas todavía todo todos tras tu tus tuya tuyo tú un "
     "una unas uno unos usted ustedes vosotras vosotros vuestra vuestras vuestro vuestros y ya yo "
     "él éramos"},
    {"fr",
     "a afin ai ainsi alors après as assez au aucun aucune aujourd auquel aussi autre autres aux "
     "auxquelles auxquels avaient avais avait avant avec avez avoir avons ayant c ça car ce ceci "
     "cela celle celles celui cependant ces cet cette ceux chaque chez ci comme comment d dans de "
     "depuis des desquelles desquels dont donc du duquel dès déjà elle elles en encore entre es "
     "est et eu eux fait faut furent fut hors hui il ils j jamais je jusqu jusque l la laquelle le "
     "lequel les lesquelles lesquels leur leurs lors lorsque lui là m ma mais malgré me mes mien "
     "mienne moi moins mon même mêmes n ne ni non nos notre nous on ont or ou où par parce pas "
     "pendant peu peut plus plusieurs pour pourquoi près puis puisque qu quand que quel quelle "
     "quelles quels qui quoi s sa sans se selon sera seront ses si sien sienne soi soient sois "
     "soit sommes son sont sous suis sur t ta tandis te tes toi ton toujours tous tout toute "
     "toutes très tu un une vers voici voilà vos votre vous y à étaient étais était étant été êtes "
     "être"},
    {"it",
     "a abbia abbiamo abbiano ad agli ai al alcun alcuna alcune alcuni alla alle allo allora altra "
     "altre altri altro anche ancora avere aveva avevano avevo c che chi ci ciò coi col come con "
     "contro cosa così cui d da dagli dai dal dalla dalle dallo degli dei del della delle dello "
     "dentro di dopo dove dunque durante e ed egli ella era erano eravamo ero essa esse essendo "
     "essere essi esso fa fino fra fu fui furono già gli ha hai hanno ho i il in infatti io l la "
     "le lei li lo loro lui ma me mentre mi mia mie miei mio molto ne negli nei nel nella nelle "
     "nello no noi non nostra nostre nostri nostro o od ogni oltre oppure or ora per perché però "
     "più poi poiché presso prima proprio qua qual quale quali qualche quando quanta quante quanti "
     "quanto quei quegli quel quella quelle quelli quello questa queste questi questo qui quindi s "
     "sarà saranno se sei sempre senza si sia siamo siano siete sono sopra sotto sta stata state "
     "stati stato stesso su sua sue sugli sui sul sulla sulle sullo suo suoi te ti tra tu tua tue "
     "tuo tuoi tutta tutte tutti tutto un una uno v vi voi vostra vostre vostri vostro è"},
    {"nl",
     "aan al alle alleen alles als altijd andere ben bij binnen buiten daar daardoor daarmee "
     "daarom dan dat de deze die dit doch doen door dus een eens elk elke en enige er etc geen "
     "geweest had hadden hare heb hebben hebt heeft hem hen het hier hij hoe hun iemand iets ik in "
     "indien is ja je jij jou jouw jullie kan kon konden kunnen langs maar me meer men met mij "
     "mijn moest moet moeten mogen na naar naast niet niets nog nu of om omdat onder ons onze ook "
     "op over per reeds sinds sommige tegen ten ter terwijl toch toen tot tussen u uit uw van "
     "vanaf veel voor waar waarom waren was wat we wel welk welke werd werden wie wij wil worden "
     "wordt zal ze zei zelf zich zij zijn zo zoals zonder zou zouden zulke"},
    {"pt",
     "a ainda algo alguma algumas algum alguns ante antes ao aos apenas após aquela aquelas aquele "
     "aqueles aquilo as assim até cada com como contra cuja cujo da dado das de dela delas dele "
     "deles depois desde dessa dessas desse desses desta destas deste destes do dos durante e ela "
     "elas ele eles em embora enquanto entre era eram essa essas esse esses esta estamos estar "
     "estas estava estavam este estes esteve estou está estão eu foi fomos for fora foram fosse "
     "fossem fui há isso isto já la lhe lhes lo logo mais mas me mediante menos mesma mesmas mesmo "
     "mesmos meu meus minha minhas muita muitas muito muitos na nada nas nem nenhum nenhuma nessa "
     "nesse nesta neste no nos nossa nossas nosso nossos num numa nunca não nós o onde os ou outra "
     "outras outro outros para pela pelas pelo pelos perante pode podem pois por porque porquê "
     "porém pouco quais qual qualquer quando quanto que quem quê se seja sejam sem sempre sendo "
     "ser seria será serão seu seus si sido sob sobre somos sou sua suas são só também tampouco te "
     "tem temos ter teu teus teve tinha tinham toda todas todavia todo todos tu tua tuas tudo têm "
     "um uma umas uns você vocês vos vossa vosso à às é éramos"},
    {"tr",
     "acaba ama ancak arada artık asla aslında ayrıca bana bazen bazı bazıları belki ben benden "
     "beni benim beri bile bir biraz biri birkaç birçok biz bizden bize bizi bizim bu buna bunda "
     "bundan bunlar bunları bunların bunu bunun burada böyle böylece da daha dahi de defa değil "
     "diye diğer dolayı dolayısıyla eden eder edilen en eğer fakat gibi göre halen hangi hani "
     "hatta hem henüz hep hepsi her herhangi herkes hiç hiçbir için ile ilgili ise işte kadar "
     "karşın kendi kendine kendini kez ki kim kime kimi kimin kimse madem mi mu mü mı nasıl ne "
     "neden nedenle nerede nereye niye niçin o olan olarak oldu olduğu olduğunu olsa olur ona "
     "ondan onlar onlara onlardan onları onların onu onun oysa pek rağmen sadece sanki sen senden "
     "seni senin siz sizden size sizi sizin sonra tarafından tüm var ve veya ya yani yerine yine "
     "yok yoksa zaten çok çünkü önce öyle üzere şey şeyler şu şuna şunda şundan şunlar şunu şöyle"},
};

const List* find_list(std::string_view language) noexcept {
  for (const List& list : kLists) {
    if (list.language == language) return &list;
  }
  return nullptr;
}

}  // namespace

std::string stop_word_languages() {
  std::string names;
  for (const List& list : kLists) {
    names += (names.empty() ? "" : ", ") + std::string(list.language);
  }
  return names;
}

bool has_stop_words(std::string_view language) noexcept { return find_list(language) != nullptr; }

std::vector<std::string> stop_words(std::string_view language) {
  std::vector<std::string> folded;
  const List* list = find_list(language);
  if (list == nullptr) return folded;
  std::u16string text;
  std::uint64_t replaced = 0;
  const std::string_view words = list->words;
  for (std::size_t at = 0; at < words.size();) {
    append_utf16(next_code_point(words, at, replaced), text);
  }
  const std::u16string result = nfkc_casefold(text);
  std::string word;
  std::istringstream parts(to_utf8(result));
  while (parts >> word) folded.push_back(word);
  std::sort(folded.begin(), folded.end());
  folded.erase(std::unique(folded.begin(), folded.end()), folded.end());
  return folded;
}

StopFilter::StopFilter(std::string_view language, const HashKeys& keys) {
  const std::vector<std::string> words = stop_words(language);
  bool fits = words.empty();
  for (std::size_t size = 128; !fits; size *= 2) {
    mask_ = size - 1;
    buckets_.resize(size);
    // The hash ~i belongs to the bucket size - 1 - i, which is not i because size is even.
    for (std::size_t i = 0; i < size; ++i) buckets_[i].fill(~std::uint64_t{i});
    fits = true;
    for (const std::string& word : words) fits = fits && insert(hash_unit(word, keys));
  }
}

bool StopFilter::insert(std::uint64_t hash) {
  const std::size_t number = hash & mask_;
  for (std::uint64_t& place : buckets_[number]) {
    if (place == ~std::uint64_t{number}) {
      place = hash;
      return true;
    }
  }
  return false;
}

}  // namespace benzer::internal
