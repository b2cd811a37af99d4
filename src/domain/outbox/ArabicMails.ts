import { Limits } from "../kernel/Limits.ts"
import type { Extent, MailTexts } from "./EnglishMails.ts"

const back: { readonly [R in Extent]: string } = {
  none: "لم يعد أي جزء منه مردوداً",
  part: "رُدّ جزء منه",
  all: "رُدّ كله"
}

const thanks = (donor: string, sentence: string): string => (donor === "" ? sentence : `${donor}، ${sentence}`)

const plurals = new Intl.PluralRules("ar")

/**
 * The sentences of the mails to donors in Arabic. Words of the law have their English names beside them, where a translation
 * could be taken for something else.
 */
export const arabicMails: MailTexts = {
  gift: {
    every: {
      WEEKLY: "كل أسبوع",
      FORTNIGHTLY: "كل أسبوعين",
      MONTHLY: "كل شهر",
      QUARTERLY: "كل ثلاثة أشهر",
      ANNUALLY: "كل سنة"
    },
    method: { card: "بطاقة", au_becs_debit: "خصم مباشر", payto: "PayTo", bank_transfer: "تحويل مصرفي" },
    otherMethod: "طريقة أخرى",
    noMoneyMoves: "هذه تجربة في بيئة تجريبية: لا يؤخذ أي مال.",
    givenTo: "الجهة المتبرَّع لها",
    abn: "الرقم التجاري الأسترالي (ABN)",
    amount: "المبلغ",
    givenBack: "المبلغ المردود",
    date: "التاريخ",
    paidBy: "طريقة الدفع"
  },
  receipt: {
    isTest: "هذه تجربة في بيئة تجريبية: لم يتبرع أحد بشيء، وهذا ليس إيصالاً (receipt).",
    subject: (to) => `إيصال تبرعك إلى ${to}`,
    correctedSubject: (to) => `إيصال مصحح لتبرعك إلى ${to}`,
    thanks: (donor, to) => thanks(donor, `شكراً لك على تبرعك إلى ${to}.`),
    replaces: (extent) => `يحل هذا الإيصال محل الإيصال الذي تلقيته عن هذا التبرع: ${back[extent]}.`,
    replacesInYear: (year) =>
      `إذا كنت قد تلقيت ملخص تبرعاتك للسنة المالية ${year}، فإن هذا الإيصال يحل أيضاً محل ما ورد فيه عن هذا التبرع.`,
    isForGift: "هذا الإيصال عن تبرع (gift).",
    number: "رقم الإيصال",
    left: "المتبقي من التبرع",
    given: "التكرار",
    isDeductible: (fund) => `التبرعات إلى ${fund} قابلة للخصم الضريبي (tax deductible).`,
    repeats: (rhythm, to) => `يتكرر هذا التبرع ${rhythm} حتى تنهيه: تنهيه لك منظمة ${to} عندما تطلب ذلك.`,
    isDisclosed: (to) =>
      `تتجاوز تبرعاتك إلى ${to} حداً يضعه القانون الخاص بالتبرعات السياسية. ويطلب هذا القانون من المتبرعين أيضاً أن يقدموا إقراراً (lodge) بما تبرعوا به: وتبيّن مفوضية الانتخابات (electoral commission) كيفية ذلك وموعده الأخير. وليست هذه مشورة قانونية.`
  },
  payment: {
    isTest: "هذه تجربة في بيئة تجريبية: لم يتبرع أحد بشيء، وهذا ليس ملخصاً لتبرع.",
    subject: (through) => `ملخص تبرعك عبر ${through}`,
    correctedSubject: (through) => `ملخص مصحح لتبرعك عبر ${through}`,
    thanks: (donor, through) => thanks(donor, `شكراً لك على تبرعك عبر ${through}. وقد وُزّع على النحو التالي:`),
    replaces: (extent) => `يحل هذا الملخص محل الملخص الذي تلقيته عن هذا التبرع: ${back[extent]}.`,
    partBack: (amount, returned) => `${amount}، رُدّ منه ${returned}`,
    allBack: (amount) => `${amount}، وقد رُدّ كله`,
    number: "رقم الدفعة",
    isNoReceipt: "هذا ليس إيصالاً (receipt): ترسل إليك كل جهة من الجهات التي وُزّع عليها إيصالاً خاصاً بها."
  },
  year: {
    isTest: "هذه تجربة في بيئة تجريبية: لم يتبرع أحد بشيء، وهذا ليس ملخصاً لتبرعات.",
    subject: (to, label) => `ملخص تبرعاتك إلى ${to}، ${label}`,
    thanks: (donor, to, first, last) => thanks(donor, `شكراً لك على تبرعاتك إلى ${to} من ${first} حتى ${last}.`),
    replaces: "يحل هذا الملخص محل أي ملخص تلقيته عن هذه السنة.",
    giftOn: (day, id) => `${day}، ${id}`,
    more: (count) => {
      switch (plurals.select(count)) {
        case "one":
          return "لم يُذكر هنا تبرع واحد آخر من هذه السنة، وهو محسوب في المجموع."
        case "two":
          return "لم يُذكر هنا تبرعان آخران من هذه السنة، وهما محسوبان في المجموع."
        case "few":
          return `لم تُذكر هنا ${count} تبرعات أخرى من هذه السنة، وهي محسوبة في المجموع.`
        case "many":
          return `لم يُذكر هنا ${count} تبرعاً آخر من هذه السنة، وهي محسوبة في المجموع.`
        default:
          return `لم يُذكر هنا ${count} تبرع آخر من هذه السنة، وهي محسوبة في المجموع.`
      }
    },
    count: "عدد التبرعات",
    sum: "المجموع",
    left: "المتبقي من المجموع",
    areDeductible: (fund, amounts) => `التبرعات إلى ${fund} قابلة للخصم الضريبي (tax deductible): ${amounts}.`,
    isNoReceipt:
      "لديك إيصال عن كل تبرع من هذه التبرعات. وهذا ملخص لها، وليس إيصالاً (receipt) آخر: يُحتسب كل تبرع مرة واحدة. ولا يتضمن الملخص التبرعات التي وصلت إلينا بطرق أخرى."
  },
  code: {
    subject: (to) => `رمزك للتبرع إلى ${to}`,
    enter: (to) => `أدخل هذا الرمز في صفحة ${to} التي طلبته، لكي تتبرع بالبطاقة.`,
    code: "الرمز",
    isGoodFor: `يصلح لمدة ${Limits.emailCodeMinutes} دقيقة، ولهذا التبرع وحده. لا تخبر به أحداً.`,
    notAsked: "إذا لم تطلبه فقد كتب شخص آخر عنوانك. لم يؤخذ منك شيء، وليس عليك أن تفعل شيئاً."
  },
  processing: {
    onItsWay: (to) => `تبرعك إلى ${to} في طريقه`,
    unfinished: (to) => `تبرعك إلى ${to} لم يكتمل بعد`,
    gives: (amount, to) => `تتبرع بمبلغ ${amount} إلى ${to}. شكراً لك.`,
    atBank: "ليس عليك أن تفعل شيئاً: طُلب من مصرفك أن يدفع، وقد يستغرق ذلك بضعة أيام.",
    transfer: "حوّل المبلغ من مصرفك إلى هذا الحساب:",
    accountName: "اسم الحساب",
    bsb: "BSB",
    accountNumber: "رقم الحساب",
    reference: "المرجع",
    transferUntil: (day) => `اكتب المرجع كما هو هنا تماماً: به يُعرف تبرعك. يُنتظر تبرعك حتى ${day}.`,
    approve: (day) => `وافق على الدفعة في تطبيق مصرفك حتى ${day}.`,
    waits: (day) => `ينتظر تبرعك خطوة منك، وتبيّن صفحته ما يجب فعله. يُنتظر تبرعك حتى ${day}.`,
    whatFollows: "تتلقى إيصالاً عندما يصل تبرعك، ورسالة إن لم يصل.",
    page: "تابع سير الدفعة",
    pageUntil: (moment) => `يمكن لكل من لديه عنوان هذه الصفحة أن يفتحها حتى ${moment}.`
  },
  failed: {
    subject: (to) => `لم يصل تبرعك إلى ${to}`,
    says: (amount, to) => `لم يصل تبرعك بمبلغ ${amount} إلى ${to}.`,
    notSeen: (to) => `لم يظهر المبلغ في الحساب في الوقت المحدد، ولم يعد منتظراً. إذا كنت قد أرسلته فأخبر ${to}.`,
    nothingTaken: "لم يؤخذ أي مال.",
    refused: {
      au_becs_debit: "رُفضت الدفعة: قد يعرف مصرفك السبب.",
      card: "رُفضت الدفعة: قد يعرف مصرف بطاقتك السبب.",
      payto: "رُفضت الدفعة. إذا لم ترفضها في تطبيق مصرفك فقد يعرف مصرفك السبب."
    },
    abandoned: "كانت الدفعة تنتظرك، ولم تتم الموافقة عليها في الوقت المحدد.",
    unreachable: "تعذّر إرسال الدفعة لتنفيذها.",
    isRenewal: (rhythm) => `هذا هو التبرع الذي تقدمه ${rhythm}.`,
    againOn: (day) => `تُعاد المحاولة في ${day}: ليس عليك أن تفعل شيئاً.`,
    hasEnded: "جرت المحاولة عدة مرات. انتهى تبرعك، ولن يؤخذ شيء بعد الآن.",
    notAgain: (to) => `لن تُعاد المحاولة. يؤخذ تبرعك التالي في موعده، ما لم تطلب من ${to} إنهاءه.`,
    giveAgain: "تبرع مرة أخرى"
  }
}
