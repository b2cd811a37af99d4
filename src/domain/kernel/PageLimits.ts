import { limitsOf } from "./LimitSection.ts"

/** The facts of the limits of pages. */
export const pageLimits = limitsOf("pages, sections 1 and 2", {
  pageTokenHours: "A page may be open before what was typed there has to be looked at again",
  pageFormBytes: "A form that a donor's page sends",
  policyReportBytes: "A browser's report of what a page's policy refused",
  policyReports: ["Violations that are read of it", "violations"],
  policyViolationKinds: ["Kinds of them that a process counts apart", "kinds"],
  pagePostsPerSecond: "Forms of one kind of page that an address sends",
  pagePostBurst: ["The same at once", "forms"],
  progressLooksPerSecond: "Looks at a processor for the page of a payment that waits",
  progressLooksBurst: ["The same at once", "looks"],
  cardCredit: [
    "Declined cards of a form or a set, beyond those that succeeded, after which it takes no cards for some hours",
    "cards"
  ],
  cardCreditOrganisation: ["The same of all forms of an organisation", "cards"],
  cardCreditPersonal: ["The same of a checkout link, and of a donor's own link", "cards"],
  cardCreditCodes: ["The same of all who come to an organisation's pages by a code", "cards"],
  cardCreditWallets: ["The same of all who pay by a wallet where cards are closed", "cards"],
  cardCodesHours:
    "How long no codes or wallets are taken then, and how long it takes until as many declined cards more are",
  walletLooksPerSecond: "Cards of an organisation's donors of which is asked whether they are in a wallet",
  walletLooksBurst: ["The same at once", "cards"],
  cardCreditAgain: ["The same when cards are taken again", "cards"],
  cardCreditMinutes: "How long it takes until one declined card more is taken",
  cardsBeyondCredit: ["Cards that may be tried at once beyond those that may be declined", "cards"],
  cardsAwaited: ["Cards that wait in one process until others were tried", "cards"],
  cardClosingHours: "How long a page takes no cards: the first time, the second, and so on",
  cardFlightMinutes: "After how long a card is forgotten whose outcome was lost with its process",
  cardApprovalMinutes: "After how long a card counts as declined that its holder did not approve",
  cardGuardDays: "How long it is kept that cards were tried",
  cardPassMinutes: "How long cards are open for a gift once its code was entered",
  emailCodeMinutes: "How long a code is worth something that was mailed, and how long it is tried to mail it",
  emailCodeTries: ["How often a code may be entered, right or wrong", "times"],
  emailCodeBudgetMinutes: "The time in which codes are counted",
  emailCodesPerAddress: ["Codes that are mailed to an address in that time, by all organisations", "codes"],
  emailCodesPerOrganisation: ["Codes that an organisation's pages have mailed in that time", "codes"],
  logoBytes: "The logo of an organisation",
  logoPixels: "A side of a logo",
  applePayFileBytes: "The file by which Apple knows the hosts of organisations",
  embedOrigins: ["Origins whose pages may embed an organisation's forms", "origins"]
})
