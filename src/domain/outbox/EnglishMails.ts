import { Limits } from "../kernel/Limits.ts"
import type { PaymentMethod } from "../kernel/PaymentMethod.ts"
import type { Frequency } from "../kernel/Schedule.ts"

type Of<K extends string> = Readonly<Record<K, string>>

/** How much of an amount was given back. */
export type Extent = "none" | "part" | "all"

const back: Of<Extent> = {
  none: "nothing of it is given back any more",
  part: "part of it was given back",
  all: "all of it was given back"
}

const every: Of<Frequency> = {
  WEEKLY: "every week",
  FORTNIGHTLY: "every two weeks",
  MONTHLY: "every month",
  QUARTERLY: "every three months",
  ANNUALLY: "every year"
}

const method: Of<PaymentMethod> = {
  card: "Card",
  au_becs_debit: "Direct debit",
  payto: "PayTo",
  bank_transfer: "Bank transfer"
}

const refused: Of<Exclude<PaymentMethod, "bank_transfer">> = {
  au_becs_debit: "It was refused: your bank may know why.",
  card: "It was refused: the bank of your card may know why.",
  payto: "It was refused. If you did not refuse it in the app of your bank, your bank may know why."
}

/** Thanks to a donor, whose name may be unknown: then it is empty. */
const thanks = (donor: string, sentence: string): string =>
  donor === "" ? `Thank you ${sentence}` : `${donor}, thank you ${sentence}`

/** What mails about gifts have in common. */
const gift = {
  every,
  method,
  otherMethod: "Another way",
  noMoneyMoves: "This is a test of a sandbox: no money is taken.",
  givenTo: "Given to",
  abn: "ABN",
  amount: "Amount",
  givenBack: "Given back",
  date: "Date",
  paidBy: "Paid by"
}

const receipt = {
  isTest: "This is a test of a sandbox: nobody gave anything, and this is no receipt.",
  subject: (to: string) => `Receipt for your gift to ${to}`,
  correctedSubject: (to: string) => `Corrected receipt for your gift to ${to}`,
  thanks: (donor: string, to: string) => thanks(donor, `for your gift to ${to}.`),
  replaces: (extent: Extent) => `This receipt takes the place of the one that you had for this gift: ${back[extent]}.`,
  replacesInYear: (year: string) =>
    `If you had the summary of your gifts of ${year}, this receipt takes the place of what it says of this gift, too.`,
  isForGift: "This receipt is for a gift.",
  number: "Receipt",
  left: "What is left of the gift",
  given: "Given",
  isDeductible: (fund: string) => `Gifts to ${fund} are tax deductible.`,
  repeats: (rhythm: string, to: string) =>
    `It is given ${rhythm} until you end it: ${to} ends it for you when you ask.`,
  isDisclosed: (to: string) =>
    `Your gifts to ${to} are over a threshold of the law on political gifts. It asks donors, too, to lodge what they gave: the electoral commission says how and until when. This is no legal advice.`
}

const payment = {
  isTest: "This is a test of a sandbox: nobody gave anything, and this is no summary of a gift.",
  subject: (through: string) => `Summary of your gift through ${through}`,
  correctedSubject: (through: string) => `Corrected summary of your gift through ${through}`,
  thanks: (donor: string, through: string) =>
    thanks(donor, `for your gift through ${through}. It was shared like this:`),
  replaces: (extent: Extent) => `This summary takes the place of the one that you had for this gift: ${back[extent]}.`,
  partBack: (amount: string, returned: string) => `${amount}, of which ${returned} was given back`,
  allBack: (amount: string) => `${amount}, which was given back`,
  number: "Payment",
  isNoReceipt: "This is no receipt: each of those it was shared among sends you its own."
}

const year = {
  isTest: "This is a test of a sandbox: nobody gave anything, and this is no summary of gifts.",
  subject: (to: string, label: string) => `Summary of your gifts to ${to}, ${label}`,
  thanks: (donor: string, to: string, first: string, last: string) =>
    thanks(donor, `for your gifts to ${to} from ${first} to ${last}.`),
  replaces: "This summary takes the place of any that you had of this year.",
  giftOn: (day: string, id: string) => `${day}, ${id}`,
  more: (count: number) =>
    count === 1
      ? "1 more gift of the year is not listed. It is in the sum."
      : `${count} more gifts of the year are not listed. They are in the sum.`,
  count: "Gifts",
  sum: "Sum",
  left: "What is left of the sum",
  areDeductible: (fund: string, amounts: string) => `Gifts to ${fund} are tax deductible: ${amounts}.`,
  isNoReceipt:
    "You have a receipt for each of these gifts. This is a summary of them, and no further receipt: each gift counts once. Gifts that reached us in other ways are not in it."
}

const code = {
  subject: (to: string) => `Your code for giving to ${to}`,
  enter: (to: string) => `Enter this code on the page of ${to} that asked for it, to give by card.`,
  code: "Code",
  isGoodFor: `It is good for ${Limits.emailCodeMinutes} minutes, and for this gift alone. Tell it to nobody.`,
  notAsked:
    "If you did not ask for it, somebody typed your address. Nothing was taken from you, and you need do nothing."
}

const processing = {
  onItsWay: (to: string) => `Your gift to ${to} is on its way`,
  unfinished: (to: string) => `Your gift to ${to} is not finished yet`,
  gives: (amount: string, to: string) => `You give ${amount} to ${to}. Thank you.`,
  atBank: "You need do nothing: your bank was asked to pay, which may take some days.",
  transfer: "Transfer it from your bank to this account:",
  accountName: "Account name",
  bsb: "BSB",
  accountNumber: "Account number",
  reference: "Reference",
  transferUntil: (day: string) =>
    `Write the reference as it stands here: your gift is known by it. It is expected until ${day}.`,
  approve: (day: string) => `Approve it in the app of your bank, until ${day}.`,
  waits: (day: string) => `It waits for you: its page says what is to be done. It is expected until ${day}.`,
  whatFollows: "You get a receipt when it has arrived, and a mail if it does not.",
  page: "See how it goes",
  pageUntil: (moment: string) => `The page can be opened until ${moment}, by whoever has its address.`
}

const failed = {
  subject: (to: string) => `Your gift to ${to} did not arrive`,
  says: (amount: string, to: string) => `Your gift of ${amount} to ${to} did not arrive.`,
  notSeen: (to: string) =>
    `It was not seen on the account in time, and is expected no more. If you have sent it, tell ${to}.`,
  nothingTaken: "No money was taken.",
  refused,
  abandoned: "It waited for you, and was not approved in time.",
  unreachable: "It could not be passed on to be paid.",
  isRenewal: (rhythm: string) => `It is the gift that you give ${rhythm}.`,
  againOn: (day: string) => `It is tried again on ${day}: you need do nothing.`,
  hasEnded: "It was tried several times. Your gift has ended, and nothing more is taken.",
  notAgain: (to: string) => `It is not tried again. Your next gift is taken on its day, unless you have ${to} end it.`,
  giveAgain: "Give again"
}

/** Every sentence of the mails to donors, in English. Names and texts of organisations are theirs. */
export const englishMails = { gift, receipt, payment, year, code, processing, failed }

/** The sentences of the mails to donors in one language. Names, amounts and days are given as that language writes them. */
export type MailTexts = typeof englishMails
