import { Array as Arr, Effect, Option, Schema, Struct } from "effect"
import type { Organisation } from "../../domain/access/Organisation.ts"
import * as CheckoutLink from "../../domain/giving/CheckoutLink.ts"
import type { Donor } from "../../domain/giving/Donor.ts"
import { Limits } from "../../domain/kernel/Limits.ts"
import { can, decide } from "../../domain/kernel/Machine.ts"
import { InvalidInput, TakesNoPayment } from "../../domain/kernel/Rejection.ts"
import { widestOf } from "../../domain/payments/MethodBounds.ts"
import * as Checkout from "../../domain/sharing/Checkout.ts"
import { CheckoutLinkStore } from "../../ports/giving/CheckoutLinkStore.ts"
import { GivingSettingsStore } from "../../ports/giving/GivingSettingsStore.ts"
import { organisationNow } from "../../ports/kernel/AheadClock.ts"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import { makeTimeOf } from "../access/caller/CallerContext.ts"
import { body, operationsOf, value } from "../access/operation/Operation.ts"
import * as Row from "../access/operation/OperationRow.ts"
import { checkedService } from "../access/operation/ServiceChecks.ts"
import { Service } from "../kernel/service/Service.ts"
import {
  boundsOf,
  makePaymentAccounts,
  methodsOf,
  type Offer,
  type PaymentAccount
} from "../payments/account/PaymentAccounts.ts"
import { makeCardCodes } from "./checkout/CardCodes.ts"
import { makeCardGuards } from "./checkout/CardGuards.ts"
import { type CheckoutPage, type LinkPage, makeCheckoutPages } from "./checkout/CheckoutPages.ts"
import { makeCheckoutProgress } from "./checkout/CheckoutProgress.ts"
import { makeCheckoutSubmission, makeProgressLook, makeTestApproval } from "./checkout/CheckoutSubmission.ts"
import { frequenciesOn } from "./checkout/SubmissionCheck.ts"

const operations = Row.table("checkouts", {
  open: Row.keeper(
    "Show what the page of a form, checkout link or recommendation set shows, or why it takes no gift",
    [body(Checkout.Target)],
    Checkout.Page
  ),
  visit: Row.keeper(
    "Count that a donor opened a page, where it is one that counts and takes a gift now",
    [body(Checkout.Target)],
    Checkout.CountedVisit
  ),
  submit: Row.keeper(
    "Give through a form, a checkout link or a recommendation set, as a donor does on its page",
    [body(Checkout.Submission)],
    Checkout.SubmittedCheckout
  ),
  requestCode: Row.keeper(
    "Mail a code to the address that a donor typed, which opens cards for this submission where they are closed",
    [body(Checkout.CodeRequest)],
    Checkout.CodeRequested
  ),
  openCards: Row.keeper(
    "Open cards for a submission with the code that was mailed to its donor",
    [body(Checkout.EnteredCode)],
    Checkout.OpenedCards
  ),
  progress: Row.keeper("Show how a submission is going", [value("token", Schema.String)], Checkout.ProgressPage),
  resume: Row.keeper(
    "Take a submission that brought no money up again, with all of it but the means of payment",
    [value("token", Schema.String)],
    Checkout.Resumption
  ),
  approve: Row.keeper(
    "Approve or refuse a payment of the test processor that waits for its donor, as the donor does at the bank",
    [body(Checkout.TestApproval)],
    Checkout.ProgressPage
  )
})

const donorOn = (page: CheckoutPage, linked: Option.Option<Donor>): Checkout.Page["donor"] => {
  if (page.kind === "link") return { first_name: page.link.donor_first_name }
  return Option.getOrNull(Option.map(linked, ({ first_name }) => ({ first_name })))
}

const shownOn = (page: CheckoutPage): Pick<Checkout.Page, "form" | "link" | "set"> => {
  const nothing = { form: null, link: null, set: null }
  switch (page.kind) {
    case "form":
      return { ...nothing, form: page.form }
    case "link":
      return { ...nothing, link: page.link }
    case "set": {
      const { recipients, set } = page
      const unnamed = { link_label: "", recipient_org_name: "" }
      const allocations = set.allocations.map((each) => ({
        ...each,
        ...(recipients.get(each.recipient_org_account_link_id) ?? unnamed)
      }))
      return { ...nothing, set: { ...set, allocations } }
    }
  }
}

/** How often gifts may be repeated on a page, and what it opens with. service-spec, Donation form. */
const offeredOn = (page: CheckoutPage, open: Offer): Pick<Checkout.Page, "default_cadence" | "frequencies"> => {
  const frequencies = frequenciesOn(page, open)
  const isRecurring = page.kind === "form" && frequencies.length > 0
  return { frequencies, default_cadence: isRecurring ? page.form.default_cadence : "ONE_TIME" }
}

const services = Effect.all({
  links: CheckoutLinkStore,
  accounts: makePaymentAccounts,
  codes: makeCardCodes,
  guards: makeCardGuards,
  pages: makeCheckoutPages,
  settings: GivingSettingsStore,
  transaction: Transaction
})

type Services = Effect.Success<typeof services>

/** Counts that the page was opened, as long as the link is there to be paid. Visits are counted, not audited. */
const countVisit = Effect.fnUntraced(function* ({ links }: Services, { link: { id, organisation_id } }: LinkPage) {
  const locked = yield* links.findForUpdate(organisation_id, id)
  const command: CheckoutLink.Command = { _tag: "Visit", at: yield* organisationNow }
  if (Option.isNone(locked) || !can(CheckoutLink.machine, locked.value, command)) return false
  const decision = decide(CheckoutLink.machine, locked.value, command)
  const { state } = yield* Effect.orDie(Effect.fromResult(decision))
  yield* links.update(state)
  return true
})

const noCodes = () =>
  new InvalidInput({
    param: "email",
    message:
      "No code is mailed: cards are open here, or no code opens them. See what the page shows, and give without one."
  })

/** A page, and the accounts that it takes gifts with, or the reason why it takes none. */
const lookedAt = Effect.fnUntraced(function* (
  { accounts, pages }: Services,
  organisation: Organisation,
  target: Checkout.Target
) {
  // A failure would interrupt what is read beside it, which costs the database more than the reading.
  const page = Effect.result(pages.pageOf(organisation, target))
  const [read, offerTo] = yield* Effect.all([page, accounts.offers(organisation)], { concurrency: "unbounded" })
  const found = yield* Effect.fromResult(read)
  const offer = offerTo(found.payable)
  const closed = found.closed ?? (offer.length === 0 ? "no_processor" : null)
  const open: Offer = closed === null ? offer : []
  return { closed, found, open } as const
})

/** What a page takes by each method, and the least and the greatest of it, minor units. */
const boundsOn = (offer: Offer): Pick<Checkout.Page, "maximum_gift_cents" | "method_bounds" | "minimum_gift_cents"> => {
  const method_bounds = offer.flatMap((account) =>
    account.methods.map((method) => ({ method, ...boundsOf(account, method) }))
  )
  const { maximum_cents = Limits.donationMaximumCents, minimum_cents = null } = widestOf(method_bounds) ?? {}
  return { method_bounds, minimum_gift_cents: minimum_cents, maximum_gift_cents: maximum_cents }
}

/** What of an offer its donor can use, where cards are closed and nothing opens them. */
const withoutCards = (offer: Offer): Offer =>
  offer.flatMap((account) => {
    const methods = account.methods.filter((method) => method !== "card")
    return methods.length === 0 ? [] : [{ ...account, methods }]
  })

/** What the processor's own field on a page needs; nulls where it needs nothing. */
const fieldOf = Effect.fnUntraced(function* (open: Option.Option<PaymentAccount>) {
  const key = Option.isNone(open) ? Option.none() : yield* open.value.processor.pageKey(open.value.integration)
  const account = Option.filter(open, ({ integration }) => Option.isSome(key) && !integration.is_own)
  const field: Pick<Checkout.Page, "processor_account" | "processor_key"> = {
    processor_key: Option.getOrNull(key),
    processor_account: Option.match(account, {
      onNone: () => null,
      onSome: ({ integration }) => integration.processor_connect_account_id
    })
  }
  return field
})

const cardsOpen = { cards_closed: false, card_codes: false, card_wallets: false }

const shown = Effect.fnUntraced(function* (services: Services, organisation: Organisation, target: Checkout.Target) {
  const { pages } = services
  const [page, settings, prompts] = yield* Effect.all(
    [
      Effect.result(lookedAt(services, organisation, target)),
      services.settings.of(organisation.id),
      pages.promptsOn(organisation, target)
    ],
    { concurrency: "unbounded" }
  )
  const { found, ...account } = yield* Effect.fromResult(page)
  const linked = yield* pages.linkedDonor(organisation, found, target)
  const usual = methodsOf(account.open)
  const { cards_closed, ...opened } = usual.includes("card")
    ? yield* services.guards.closing(organisation, found, linked)
    : cardsOpen
  const methods = cards_closed ? usual.filter((method) => method !== "card") : usual
  const tellsWallets = account.open.some(({ processor }) => processor.walletOf !== undefined)
  const card_codes = account.closed === null && opened.card_codes
  const card_wallets = tellsWallets && opened.card_wallets
  const isShut = cards_closed && !card_codes && !card_wallets
  const isOver = isShut && methods.length === 0
  const { closed, open } = isOver ? ({ closed: "cards_closed", open: [] } as const) : account
  const usable = isShut ? withoutCards(open) : open
  const own = Arr.head(open)
  const content: Checkout.Page = {
    organisation: Checkout.organisationShown(organisation, settings),
    ...shownOn(found),
    currency: found.payable.currency,
    ...boundsOn(usable),
    methods,
    cards_closed,
    card_codes,
    card_wallets,
    ...offeredOn(found, usable),
    processor: Option.match(own, { onNone: () => null, onSome: ({ integration }) => integration.processor }),
    ...(yield* fieldOf(own)),
    takes_token: Option.exists(own, ({ processor }) => processor.capabilities.confirms),
    prompts: prompts.map(Struct.pick(["id", "text"])),
    donor: donorOn(found, linked),
    closed,
    as_of: yield* organisationNow
  }
  return content
})

/**
 * Takes gifts from donors through forms and checkout links, and payments to the recipients of recommendation sets. Everything
 * here is for whoever is on the page: no key is asked for. money, section 4.
 */
export class Checkouts extends Service<Checkouts>()("almoner/app/Checkouts", function* () {
  const opening = yield* services
  const submitted = yield* makeCheckoutSubmission
  const progressing = yield* makeCheckoutProgress
  const approving = yield* makeTestApproval
  const looking = yield* makeProgressLook
  const timeOf = yield* makeTimeOf

  /** The content of a page, and the reason where it takes no gift. It counts nothing. Fails with {@link NotFound}. */
  const open = Effect.fn("Checkouts.open")((target: Checkout.Target) =>
    opening.pages.readWith(target, (organisation) => timeOf(organisation)(shown(opening, organisation, target)))
  )

  /**
   * Counts a donor's visit of a checkout link that takes its gift now, and says whether it was counted: of any other page
   * nothing is. Fails with {@link NotFound}.
   */
  const visit = Effect.fn("Checkouts.visit")(function* (target: Checkout.Target) {
    const organisation = yield* opening.pages.organisationOf(target)
    const counted = Effect.flatMap(lookedAt(opening, organisation, target), ({ closed, found }) =>
      found.kind === "link" && closed === null
        ? opening.transaction.run(countVisit(opening, found))
        : Effect.succeed(false)
    )
    const is_counted = yield* timeOf(organisation)(counted)
    return { is_counted }
  })

  /**
   * Submits a gift, or a payment to a set's recipients, and asks the processor for its money: the donor's next step,
   * or the outcome. The same `submission_id` gets the first one, whatever else it says. Fails with {@link NotFound},
   * with {@link TakesNoPayment} where the page takes no gift, with {@link GuardRefused} where another payment on a
   * checkout link, or of the recurring gift that is tried again, is under way, and with {@link InvalidInput} for an amount, currency or method that the page does
   * not take now, for details that it needs, and for answers to other consent prompts than it asks.
   */
  const submit = Effect.fn("Checkouts.submit")(function* (submission: Checkout.Submission) {
    const organisation = yield* opening.pages.organisationOf(submission)
    return yield* timeOf(organisation)(submitted(organisation, submission))
  })

  /** A page that takes gifts. Fails with {@link TakesNoPayment} where it takes no gift. */
  const typedOn = Effect.fnUntraced(function* (organisation: Organisation, target: Checkout.Target) {
    const { closed, found } = yield* lookedAt(opening, organisation, target)
    const { id, record, status } = found
    if (closed !== null) return yield* new TakesNoPayment({ record, id, status, instead: Checkout.instead[closed] })
    return found
  })

  /** Whether a code opens the cards of a page, and the page. */
  const offered = Effect.fnUntraced(function* (organisation: Organisation, target: Checkout.Target) {
    const found = yield* typedOn(organisation, target)
    const linked = yield* opening.pages.linkedDonor(organisation, found, target)
    const { card_codes } = yield* opening.guards.closing(organisation, found, linked)
    return { card_codes, found } as const
  })

  /**
   * Mails a code to a typed address, as often as `Limits` says, and answers the same for every address. Fails with {@link
   * NotFound}, with {@link TakesNoPayment} where the page takes no gift, and with {@link InvalidInput} where cards are not
   * opened by a code.
   */
  const requestCode = Effect.fn("Checkouts.requestCode")(function* (request: Checkout.CodeRequest) {
    const organisation = yield* opening.pages.organisationOf(request)
    const { card_codes, found } = yield* timeOf(organisation)(offered(organisation, request))
    return card_codes ? yield* opening.codes.send(organisation, found, request) : yield* noCodes()
  })

  /**
   * Opens cards for a submission with the code that was mailed. Fails with {@link NotFound}, with {@link TakesNoPayment} where
   * the page takes no gift, and with {@link InvalidInput} for a code that is not one of the last 15 minutes, or was tried too
   * often.
   */
  const openCards = Effect.fn("Checkouts.openCards")(function* (entered: Checkout.EnteredCode) {
    const organisation = yield* opening.pages.organisationOf(entered)
    const found = yield* timeOf(organisation)(typedOn(organisation, entered))
    return yield* opening.codes.open(organisation, found, entered)
  })

  /**
   * The page of a submission, for a day. One that waits is looked up at its processor first, some times at most. Fails with {@link
   * NotFound} for any other token.
   */
  const progress = Effect.fn("Checkouts.progress")(function* (token: string) {
    return yield* looking(token)
  })

  /**
   * A submission that failed or was cancelled, as its page takes it again: to be submitted with another `submission_id` and
   * means of payment. Fails with {@link NotFound} for any other token.
   */
  const resume = Effect.fn("Checkouts.resume")(function* (token: string) {
    return yield* progressing.resume(token)
  })

  /**
   * Answers a payment of the test processor that waits for its donor: it has no bank of its own to send them to. Fails with
   * {@link NotFound} for any other token, and for a payment of another processor.
   */
  const approve = Effect.fn("Checkouts.approve")(function* (approval: Checkout.TestApproval) {
    return yield* approving(approval)
  })

  return checkedService(operations, { open, visit, submit, requestCode, openCards, progress, resume, approve })
}) {}

/** The operations of {@link Checkouts}, for whoever is on a page. */
export const checkoutOperations = operationsOf(Checkouts, operations)
