import { Limits } from "./Limits.ts"

export { consumedEvent, delivery, webhookEndpoint } from "./OutboxRefusals.ts"

// The words of each machine's refusals: a phrase for each of its commands, the advice for each status that refuses one,
// and for each condition of its table the problem where it does not hold. docs/decisions/0037.

const isActive = "It is active already."
const newLink = "Make a new checkout link."
const newIntroduction = "A new introduction is needed."

/** The words for what a machine refuses of an introduction. */
export const introduction = {
  record: "An introduction",
  can: {
    Open: "be opened for the first time",
    Accept: "be accepted",
    Link: "have an account linked",
    Expire: "expire",
    Revoke: "be revoked",
    Resend: "be resent"
  },
  instead: {
    PENDING: "The invitee has to open it first.",
    VIEWED: "The invitee has opened it, and accepts it next.",
    ACCEPTED: "The invitee has accepted it, and links an account next.",
    LINKED: "The account is linked already; to end that, deactivate the recipient account.",
    EXPIRED: newIntroduction,
    REVOKED: newIntroduction
  },
  unless: {
    "`expires_at` has not passed": `The introduction's time has run out. ${newIntroduction}`,
    "`expires_at` has passed": "The introduction's time has not run out yet. Revoke it to end it now.",
    "the user is no member of the inviter or its twin":
      "This user belongs to the organisation that sent the introduction, or to its sandbox. Somebody who does not has to accept it.",
    "the organisation that accepts is live where the inviter is live, and a sandbox where the inviter is one":
      "A live organisation's introduction is accepted for a live organisation, and a sandbox's for a sandbox. Choose an organisation of the same kind.",
    "the account's `charges_enabled` is true":
      "This account takes no payments yet: its charges_enabled is false. Complete it at the payment processor, or link another one.",
    "it was resent less than three times": `The introduction was resent ${Limits.introductionResends} times, which is the most. Share its invite_url in another way.`
  }
}

/** The words for what a machine refuses of a donation. */
export const donation = {
  record: "A donation",
  can: {
    EnterNetwork: "enter the bank network",
    Settle: "be confirmed",
    SettleTransfer: "be confirmed by an incoming bank payment",
    Fail: "fail",
    Lapse: "lapse",
    RefundPart: "be refunded",
    RefundRest: "be refunded",
    ReverseRefund: "have a refund reversed",
    LoseChargeback: "be charged back",
    LoseChargebackPart: "be charged back"
  },
  instead: {
    PENDING: "Its money is under way: wait until it is confirmed.",
    CONFIRMED: "Its money has arrived; to give it back, refund it.",
    REFUNDED: "All of its money was given back already.",
    FAILED: "No money was taken, and a new donation is needed."
  },
  unless: {
    "the gift is paid by direct debit or PayTo":
      "Only a direct debit or PayTo goes through the bank network. Confirm this gift, or let it fail.",
    "the gift is not a bank transfer":
      "A bank transfer is confirmed by its incoming payment, with the day of arrival. Apply that payment.",
    "the gift is a bank transfer; its date becomes the day of arrival":
      "Only a bank transfer is confirmed by an incoming payment. Confirm this gift as its processor says.",
    "the gift is a bank transfer and 14 days have passed since it was submitted":
      "Only a bank transfer whose money has not come for 14 days lapses. Wait until then.",
    "less than what is left is refunded": "This is not less than what is left to refund. Refund all of it, or less.",
    "all that is left is refunded":
      "This is not all that is left to refund. Leave amount_cents out to refund all of it.",
    "all that is left is charged back": "This is not all that is left. Charge back a part.",
    "less than what is left is charged back": "This is not less than what is left. Charge back all that is left.",
    "no more than what was refunded comes back": "This is more than what was refunded. Reverse at most that."
  }
}

/** The words for what a machine refuses of a refund. */
export const refund = {
  record: "A refund",
  can: { Succeed: "succeed", Fail: "fail" },
  instead: { SUCCEEDED: "The money has gone back already.", FAILED: "That is final: refund the donation anew." },
  unless: {}
}

/** The words for what a machine refuses of a payment. */
export const payment = {
  record: "A payment to a recommendation set",
  can: { AwaitFunds: "wait for a bank transfer", Succeed: "succeed", Fail: "fail", Lapse: "lapse" },
  instead: {
    PENDING: "Wait for what the processor says.",
    AWAITING_FUNDS: "It waits for its bank transfer already.",
    SUCCEEDED: "The money has arrived, which is final.",
    FAILED: "That is final: the donor has to pay anew.",
    LAPSED: "That is final: the donor has to pay anew."
  },
  unless: {
    "the donor pays by bank transfer":
      "Only a payment by bank transfer waits for its funds. Let this one succeed or fail.",
    "14 days have passed since the payment was submitted":
      "14 days have not passed since the payment was submitted. Wait until then."
  }
}

/** The words for what a machine refuses of a transfer. */
export const transfer = {
  record: "A transfer to a recipient",
  can: {
    Retry: "be tried again",
    Succeed: "succeed",
    Fail: "fail",
    Skip: "be skipped",
    Restart: "be begun anew",
    Reverse: "be reversed"
  },
  instead: {
    pending: "It has not ended: the processor is asked again by itself.",
    succeeded: "The money is with the recipient; to take it back, refund the payment.",
    failed: "It was given up: begin it anew with a retry.",
    reversed: "The money was taken back already."
  },
  unless: {
    "there is no money to transfer": "There is money for this recipient. Transfer it.",
    "there is money to transfer": "Nothing goes to a recipient whose amount is 0. Leave this transfer as it is."
  }
}

/** The words for what a machine refuses of a transfer attempt. */
export const transferAttempt = {
  record: "A transfer attempt",
  can: { Send: "be sent", Succeed: "succeed", Refuse: "be refused" },
  instead: {
    SUCCEEDED: "The money has moved, which is final.",
    FAILED: "It failed, which is final: what was given up is begun anew by a retry of the transfer."
  },
  unless: { "it was not sent yet": "It was sent already: ask the processor what came of it." }
}

/** The words for what a machine refuses of a recommendation set. */
export const recommendationSet = {
  record: "A recommendation set",
  can: { Change: "be changed", Deactivate: "be deactivated", Reactivate: "be activated again", Archive: "be archived" },
  instead: {
    ACTIVE: isActive,
    DEACTIVATED: "It is deactivated already.",
    ARCHIVED: "Archiving is final: make a new set."
  },
  unless: {
    "the changed set keeps the rules for amounts":
      "These amounts break a rule: every one is at least 1 where amount_mode is FIXED or SUGGESTED, and 0 where it is OPEN; min_total_cents is at most the total of a FIXED set. Correct them."
  }
}

/** The words for what a machine refuses of a checkout link. */
export const checkoutLink = {
  record: "A checkout link",
  can: {
    Visit: "be visited",
    Begin: "take a gift",
    Release: "be freed of a gift",
    Complete: "be completed",
    CompleteArchived: "be completed afterwards",
    Change: "be changed",
    Expire: "expire",
    ExpireArchived: "expire afterwards",
    Cancel: "be cancelled",
    Archive: "be archived"
  },
  instead: {
    ACTIVE: "Archive it first.",
    COMPLETED: `It was paid. ${newLink}`,
    EXPIRED: `Its time has run out. ${newLink}`,
    CANCELED: `That is final. ${newLink}`,
    ARCHIVED: `That is final. ${newLink}`
  },
  unless: {
    "the link's time has not run out": `The link's time has run out. ${newLink}`,
    "no gift is in progress": "A gift on this link is in progress. Wait until it is confirmed, or fails.",
    "no bank transfer is in progress":
      "A bank transfer on this link is in progress. Try again once it has arrived or lapsed.",
    "the amount stays while a bank transfer is in progress":
      "The amount cannot change while a bank transfer on this link is in progress. Leave amount_cents out, or try again once the transfer has arrived or lapsed.",
    "the gift in progress is the one that failed":
      "This gift is not the one that is in progress on the link. Leave the link as it is.",
    "the gift in progress is the one that is confirmed":
      "This gift is not the one that is in progress on the link. Give its money back.",
    "the gift in progress when the link was archived is the one that is confirmed":
      "This gift was not in progress when the link was archived. Give its money back.",
    "`expires_at` has passed; no gift is in progress":
      "The link's time has not run out, or a gift on it is in progress. Wait until it has, and no gift is."
  }
}

/** The words for what a machine refuses of a consent prompt. */
export const consentPrompt = {
  record: "A consent prompt",
  can: { Change: "be changed", Archive: "be archived" },
  instead: { ARCHIVED: "That is final: make a new one." },
  unless: {}
}

/** The words for what a machine refuses of a donation form. */
export const donationForm = {
  record: "A form",
  can: {
    Activate: "be activated",
    Pause: "be paused",
    Resume: "be resumed",
    Change: "be changed",
    Archive: "be archived"
  },
  instead: {
    DRAFT: "Activate it first.",
    ACTIVE: isActive,
    PAUSED: "Resume it to make it active again.",
    ARCHIVED: "Archiving is final: make a new form."
  },
  unless: {
    "the settings follow the rules of a form":
      "These settings break a rule of forms: a name and a title are given, minimum, default and maximum amount ascend, and so do the suggested amounts. Correct them.",
    "the slug stays once the form was ACTIVE":
      "The slug is fixed once the form was ACTIVE, because links lead to it. Leave it, or make a new form."
  }
}

/** The words for what a machine refuses of a subscription. */
export const subscription = {
  record: "A recurring gift",
  can: {
    Activate: "become active",
    Renew: "be renewed",
    MakeInvoice: "be due",
    FailInvoice: "have an invoice fail",
    Retry: "be tried again",
    Cancel: "be cancelled"
  },
  instead: {
    INCOMPLETE: "Its first invoice has to be paid before.",
    ACTIVE: isActive,
    PAST_DUE: "An invoice has to be paid before.",
    CANCELLED: "That is final: the donor has to set up a new one."
  },
  unless: {
    "the day is the one that is due next": "Another day is due next. Leave the recurring gift as it is.",
    "it was never paid": "It was paid before. Set up a new recurring gift.",
    "the invoice is not the one that was last paid": "This invoice is paid. Leave the recurring gift as it is.",
    "a donor's words come with a code":
      "A donor's reason in words comes with its code. Give donor_cancel_reason_code, too."
  }
}

/** The words for what a machine refuses of a campaign. */
export const campaign = {
  record: "A campaign",
  can: { Change: "be changed", Generate: "be generated" },
  instead: { GENERATED: "That is final: make a new campaign." },
  unless: {}
}

/** The words for what a machine refuses of a disclosure. */
export const disclosure = {
  record: "A disclosure",
  can: {
    Review: "be put under review",
    Return: "be returned from its review",
    Recount: "be recounted",
    Reopen: "be opened again",
    Complete: "be completed",
    Cancel: "be cancelled",
    Supersede: "be superseded"
  },
  instead: {
    PENDING: "Put it under review first.",
    REVIEW: "It is under review already.",
    COMPLETED: "Nothing is asked of you by it now.",
    CANCELLED: "Nothing is asked of you by it now.",
    SUPERSEDED: "Another one has taken its place: work on that one."
  },
  unless: {
    "as many duties are open as its status says": "Its duties do not go with its status.",
    "a duty is open": "None of its duties is open.",
    "no duty is open, and one was fulfilled": "Lodge or act on its duties first.",
    "no duty is open, and none was fulfilled": "A duty of it is open, or was fulfilled.",
    "no duty is open": "Move its open duties first."
  }
}

/** The words for what a machine refuses of a recipient account. */
export const recipientAccount = {
  record: "A recipient account",
  can: {
    Deactivate: "be deactivated",
    Reactivate: "be activated again",
    Introduce: "be linked by an introduction",
    Rename: "be renamed"
  },
  instead: { ACTIVE: isActive, INACTIVE: "It is deactivated already." },
  unless: {}
}

/** The words for what a machine refuses of an API key. */
export const apiKey = {
  record: "An API key",
  can: { Revoke: "be revoked" },
  instead: { REVOKED: "That is final: make a new key." },
  unless: {}
}

/** The words for what a machine refuses of a donor. */
export const donor = {
  record: "A donor",
  can: {
    Change: "be changed",
    Merge: "have a duplicate merged into it",
    MergeInto: "be merged into another donor",
    Archive: "be archived"
  },
  instead: { ARCHIVED: "That is final: record a new donor." },
  unless: {
    "the changed donor has what a donor of its type needs":
      "A person needs first_name, last_name or email, an organisation or a trust organisation_name, and every donor a country. Leave one of them filled.",
    "the duplicate is another donor of the organisation":
      "The duplicate has to be another donor of the same organisation. Give the id of one.",
    "the duplicate is not archived": "The duplicate is archived. Give the id of a donor that is not."
  }
}

/** The words for what a machine refuses of a contact log. */
export const contactLog = {
  record: "A contact log",
  can: { Change: "be changed", Delete: "be deleted" },
  instead: { DELETED: "That is final: write a new one." },
  unless: {}
}

/** The words for what a machine refuses of a revenue code. */
export const revenueCode = {
  record: "A revenue code",
  can: { Change: "be changed", Assign: "be assigned to a jurisdiction", Archive: "be archived" },
  instead: { ARCHIVED: "That is final: make a code of another text." },
  unless: {}
}
