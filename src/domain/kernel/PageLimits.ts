import { limitsOf } from "./LimitSection.ts"

/** The facts of the limits of pages. */
export const pageLimits = limitsOf("pages, sections 1 and 2", {
  pageTokenHours: ["A page may be open before what was typed there has to be looked at again", "hours"],
  pageFormBytes: ["A form that a donor's page sends", "bytes"],
  policyReportBytes: ["A browser's report of what a page's policy refused", "bytes"],
  policyReports: ["Violations that are read of it", "violations"],
  policyViolationKinds: ["Kinds of them that a process counts apart", "kinds"],
  pagePostsPerSecond: ["Forms of one kind of page that an address sends", "a second"],
  pagePostBurst: ["The same at once", "forms"],
  progressLooksPerSecond: ["Looks at a processor for the page of a payment that waits", "a second"],
  progressLooksBurst: ["The same at once", "looks"],
  cardCredit: [
    "Declined cards of a form or a set, beyond those that succeeded, after which it takes no cards for some hours",
    "cards"
  ],
  cardCreditOrganisation: ["The same of all forms of an organisation", "cards"],
  cardCreditPersonal: ["The same of a checkout link, and of a donor's own link", "cards"],
  cardCreditCodes: ["The same of all who come to an organisation's pages by a code", "cards"],
  cardCreditWallets: ["The same of all who pay by a wallet where cards are closed", "cards"],
  cardCodesHours: [
    "How long no codes or wallets are taken then, and how long it takes until as many declined cards more are",
    "hours"
  ],
  walletLooksPerSecond: [
    "Cards of an organisation's donors of which is asked whether they are in a wallet",
    "a second"
  ],
  walletLooksBurst: ["The same at once", "cards"],
  cardCreditAgain: ["The same when cards are taken again", "cards"],
  cardCreditMinutes: ["How long it takes until one declined card more is taken", "minutes"],
  cardsBeyondCredit: ["Cards that may be tried at once beyond those that may be declined", "cards"],
  cardClosingHours: ["How long a page takes no cards: the first time, the second, and so on", "hours"],
  cardFlightMinutes: ["After how long a card is forgotten whose outcome was lost with its process", "minutes"],
  cardApprovalMinutes: ["After how long a card counts as declined that its holder did not approve", "minutes"],
  cardGuardDays: ["How long it is kept that cards were tried", "days"],
  cardPassMinutes: ["How long cards are open for a gift once its code was entered", "minutes"],
  emailCodeMinutes: [
    "How long a code is worth something that was mailed, and how long it is tried to mail it",
    "minutes"
  ],
  emailCodeTries: ["How often a code may be entered, right or wrong", "times"],
  emailCodeBudgetMinutes: ["The time in which codes are counted", "minutes"],
  emailCodesPerAddress: ["Codes that are mailed to an address in that time, by all organisations", "codes"],
  emailCodesPerOrganisation: ["Codes that an organisation's pages have mailed in that time", "codes"],
  logoBytes: ["The logo of an organisation", "bytes"],
  logoPixels: ["A side of a logo", "pixels"],
  applePayFileBytes: ["The file by which Apple knows the hosts of organisations", "bytes"],
  embedOrigins: ["Origins whose pages may embed an organisation's forms", "origins"]
})
