import { languageOf } from "../../../domain/kernel/Language.ts"
import { Limits } from "../../../domain/kernel/Limits.ts"
import type { PaymentMethod } from "../../../domain/kernel/PaymentMethod.ts"
import type { Frequency } from "../../../domain/kernel/Schedule.ts"
import { englishMails } from "../../../domain/outbox/EnglishMails.ts"
import { type TestNumber, testRules } from "../../../domain/payments/TestRules.ts"
import type { ClosedReason } from "../../../domain/sharing/Checkout.ts"

type Of<K extends string> = Readonly<Record<K, string>>

const cadence: Of<Frequency | "ONE_TIME"> = {
  ONE_TIME: "Once",
  WEEKLY: "Every week",
  FORTNIGHTLY: "Every two weeks",
  MONTHLY: "Every month",
  QUARTERLY: "Every three months",
  ANNUALLY: "Every year"
}

const method: Of<PaymentMethod> = {
  card: "Card",
  au_becs_debit: "Direct debit from a bank account",
  payto: "PayTo",
  bank_transfer: "Bank transfer"
}

const by: Of<PaymentMethod> = {
  card: "by card",
  au_becs_debit: "by direct debit",
  payto: "by PayTo",
  bank_transfer: "by bank transfer"
}

const closed: Of<ClosedReason> = {
  draft: "This page is not open yet.",
  paused: "This page may open again later. The organisation can tell you how to give in the meantime.",
  archived: "This page has closed. Ask the organisation for another one.",
  expired: "The time of this page has run out. Ask the organisation for another one.",
  completed: "Thank you. There is nothing more to pay here.",
  cancelled: "This page was withdrawn. Ask the organisation for another one.",
  deactivated: "This page may open again later. The organisation can tell you how to give in the meantime.",
  in_progress:
    "A payment here is under way, and its money may still arrive. Wait until that is settled before you pay again.",
  no_processor:
    "This organisation cannot take payments here at the moment. It can tell you how to give in the meantime.",
  cards_closed:
    "Cards are not taken here for some hours, because many were declined. Ask the organisation for a link of your own, or come back later."
}

/** The behaviour of each number of the test processor, whose list says it in English. */
const testOutcomes = Object.fromEntries(testRules.map(({ says, token }) => [token, says])) as Of<TestNumber>

/** Every sentence that a donor reads on a page, in English. Names, titles and other texts of organisations are theirs. */
export const english = {
  lang: languageOf("en-AU"),
  every: englishMails.gift.every,
  cadence,
  method,
  by,
  closed,
  testOutcomes,
  error: "Error:",
  sandbox: "This is a sandbox: no money moves here, and only test numbers are accepted.",
  greeting: (name: string) => `Hello ${name}`,
  skip: "Skip to main content",

  amount: "How much would you like to give?",
  otherAmount: "Another amount",
  yourAmount: (currency: string) => `Amount in ${currency}`,
  howOften: "How often?",
  aboutYou: "About you",
  name: "Your full name",
  email: "E-mail address",
  emailHint: "The organisation writes to you at this address about this gift.",
  phone: "Telephone number",
  optional: (label: string) => `${label} (optional)`,
  address: "Street address",
  address2: "Address, second line",
  suburb: "Suburb or town",
  state: "State or territory",
  postcode: "Postcode",
  country: "Country",
  next: "Continue",

  recipients: "Who receives what",
  toRecipient: (name: string) => `To ${name}`,
  total: "In total",
  floor: (least: string) => `Give ${least} or more in total.`,
  fixed: "These amounts are set by the organisation.",

  problem: "There is a problem",
  whichAmount: (typed: string) =>
    `You chose an amount and typed another one, ${typed}. Choose “Another amount”, or leave its field empty.`,
  enterAmount: "Enter an amount, such as 50 or 12.50",
  chooseAmount: "Choose an amount",
  amountLeast: (least: string) => `The amount must be ${least} or more`,
  amountMost: (most: string) => `The amount must be ${most} or less`,
  chooseOften: "Choose how often you would like to give",
  enterName: "Enter your full name",
  enterEmail: "Enter your e-mail address",
  wrongEmail: "Enter an e-mail address in the form name@example.org",
  didYouMean: (address: string) => `Did you mean ${address}? If your address is right, continue as it is.`,
  enterPhone: "Enter a telephone number",
  enterAddress: "Enter a street address",
  enterSuburb: "Enter a suburb or town",
  enterState: "Enter a state or territory",
  enterPostcode: "Enter a postcode",
  tooLong: (most: number) => `Use ${most} characters or fewer`,
  enterPart: (name: string) => `Enter an amount for ${name}, such as 50; enter 0 to leave it out`,
  totalLeast: (least: string) => `All amounts together must be ${least} or more`,
  overCap:
    "This is more than can be taken: the law lets one donor give only so much here. Give less, or ask the organisation.",
  pageChanged: "This page has changed since you opened it. Check what you give, and continue.",
  retriesOver:
    "The recurring gift that you tried before was paid meanwhile, or its time has run out. If you continue, you set up a new one.",
  pageOld: "This page was open for a long time. Check what you give, and continue.",

  pay: "How would you like to pay?",
  summary: "Your gift",
  abn: (abn: string) => `ABN ${abn}`,
  giftTo: (name: string) => `To ${name}`,
  once: "Given once",
  repeats: (rhythm: string, day: string) =>
    `The first payment is today, ${day}. After that it repeats ${rhythm}, until you end it: the organisation ends it for you when you ask.`,
  repeatsOn: (rhythm: string) =>
    `It repeats ${rhythm}, until you end it: the organisation ends it for you when you ask.`,
  change: "Change your gift",
  notTaken: (ways: string) => `An amount like this is not taken ${ways}.`,
  testNumber: "Test number",
  testOutcome: (number: string, says: string) => `${number} – ${says}`,
  giveOnce: (amount: string) => `Give ${amount}`,
  giveEvery: (amount: string, rhythm: string) => `Give ${amount} ${rhythm}`,
  transferSays:
    "You get the details of the account and a reference for your bank's own app or page. Nothing is taken from you here.",
  needsScript: (ways: string) =>
    `Paying ${ways} needs JavaScript, which your browser does not run on this page. Turn it on, or ask the organisation how to give in another way.`,
  needsScriptOrTransfer: (ways: string) =>
    `Paying ${ways} needs JavaScript, which your browser does not run on this page. Turn it on, or give by bank transfer.`,
  needsScriptToRepeat:
    "A gift that is repeated needs JavaScript, which your browser does not run on this page. Turn it on, or give once, by bank transfer.",
  fieldLoading: "The field is loading.",
  fieldBlocked: (host: string) =>
    `The field did not load. Something in your browser or network may keep ${host} away: let it through and open this page again, or ask the organisation how to give in another way.`,
  fieldBlockedOrTransfer: (host: string) =>
    `The field did not load. Something in your browser or network may keep ${host} away: let it through and open this page again, or give by bank transfer.`,
  cardOf: (processor: string) => `You enter the details in a field of ${processor}. They do not reach this page.`,
  wallets: "Apple Pay or Google Pay",
  walletsSay: "You can give by a card in one of these wallets: you approve the gift on your own device.",
  walletsNeedScript: "These wallets need JavaScript, which your browser does not run on this page.",
  noWallet: "This browser has neither of them ready on this device.",
  declined: "The payment was declined, and nothing was taken. Try another means of payment.",
  declinedFunds: "The payment was declined because there was not enough money, and nothing was taken.",
  declinedExpired: "The card has expired, and nothing was taken. Use another one.",
  declinedCode: "The card's security code was wrong, and nothing was taken. Try again.",
  notApproved: "The payment was not approved, and nothing was taken.",
  cardsClosed:
    "Cards are not taken here for some hours, because many were declined. You can give in another way below, or by card through a link of your own, which the organisation can send you.",
  cardsByCode: (email: string) =>
    `Many cards were declined here. So for some hours a card needs a code, which we send to ${email}.`,
  sendCode: "Send me a code",
  codeSent: (email: string) =>
    `We send a code of 6 digits to ${email}. It comes within a minute or two, and is good for ${Limits.emailCodeMinutes} minutes and ${Limits.emailCodeTries} tries. At most ${Limits.emailCodesPerAddress} codes an hour are sent to an address.`,
  code: "Code from the e-mail",
  useCode: "Use this code",
  sendAnother: "Send another code",
  wrongCode:
    "Enter the 6 digits of the latest e-mail, or have another code sent: this one is wrong, too old, or was tried too often",
  cardsOpened: `Your code was right. You can give by card for the next ${Limits.cardPassMinutes} minutes.`,
  chooseMeans: "Choose or enter what you pay with",
  busy: "Another payment is being made here, and nothing was taken from you for this one. Try again in a moment.",

  thanks: "Thank you",
  paid: (amount: string, name: string) => `Your gift of ${amount} to ${name} was received.`,
  receiptTo: (address: string) => `A receipt is sent to ${address}.`,
  noReceipt: "No receipt is sent by e-mail. Ask the organisation if you need one.",
  underWay: "Your payment is under way",
  underWaySays: (amount: string) =>
    `Your bank is working on ${amount}. This can take some days, and there is nothing more for you to do.`,
  waiting: "One more step",
  approveAtBank: (amount: string) => `Approve ${amount} in your bank's own app, then come back to this page.`,
  approveTest: "This page stands for your bank.",
  approve: "Approve the payment",
  refuse: "Refuse the payment",
  toBank: "Your bank asks you to confirm the payment.",
  goToBank: "Go on to your bank",
  transfer: "Transfer the amount from your bank",
  transferHow:
    "Use these details, and the reference exactly as it is written here, so that the money is known to be yours.",
  transferUntil: (moment: string) => `Transfer it by ${moment}: your gift is expected until then.`,
  accountName: "Account name",
  bsb: "BSB",
  accountNumber: "Account number",
  reference: "Reference",
  sum: "Amount",
  looking: "Your payment is being made",
  lookingSays: "We are waiting for an answer. Do not pay again: this page tells you how it goes.",
  look: "Check the payment again",
  failed: "The payment did not go through",
  cancelled: "The payment was cancelled",
  notGiven: (amount: string, name: string) => `Your gift of ${amount} to ${name} was not made.`,
  nothingTaken: "Nothing was taken from you.",
  again: "Try again",
  until: (moment: string) => `This page can be opened until ${moment}.`,
  endedRecurring: "No recurring gift was set up.",

  closedTitle: "No gifts can be made here at the moment",
  paidTitle: "This was paid already",
  notFound: "There is no such page",
  notFoundSays: "Check the address for a mistake, or go back to where you found it.",
  notYet: "This page is not available here yet",
  invitationNotYet:
    "You followed an invitation, and this service does not show its page yet. It was neither accepted nor declined. The organisation that invited you can tell you how to go on in the meantime.",
  organisationNotYet:
    "An organisation's own page will be here, and this service does not show it yet. The organisation can tell you how to give in the meantime.",
  crowded: "Too many people are here at once",
  crowdedSays: "Try again in a moment. Nothing was taken from you.",
  foreign: "This form was sent from another site",
  foreignSays: "Open the page by its own address, and enter what you would like to give there.",
  broken: "Something went wrong here",
  brokenSays: "It is our fault, and not yours. Try again in a while: the same gift is not made twice.",
  notRead: "Your form did not arrive in full",
  notReadSays: "Go back, and send it again. Nothing was taken from you.",
  linkEnded: "This page is no longer here",
  linkEndedSays:
    "The progress of a payment is shown for a day. If your gift was received, the organisation has it in its books."
}

/** The sentences of the pages in one language. */
export type Texts = typeof english
