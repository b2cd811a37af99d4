import { randomUUID } from "node:crypto"
import { Effect, Option, Schema, Struct } from "effect"
import { Flag } from "effect/cli"
import { CheckoutLinks } from "../../../app/giving/CheckoutLinks.ts"
import { Checkouts } from "../../../app/sharing/Checkouts.ts"
import { RecommendationSets } from "../../../app/sharing/RecommendationSets.ts"
import { TypedDonor } from "../../../domain/giving/CheckoutDonor.ts"
import { DonorType } from "../../../domain/giving/Donor.ts"
import { CheckoutLinkId, RecommendationSetId } from "../../../domain/kernel/Ids.ts"
import { languages } from "../../../domain/kernel/Language.ts"
import { PaymentMethod } from "../../../domain/kernel/PaymentMethod.ts"
import { InvalidInput } from "../../../domain/kernel/Rejection.ts"
import { Frequency } from "../../../domain/kernel/Schedule.ts"
import * as Checkout from "../../../domain/sharing/Checkout.ts"
import { pageNameIn } from "../../../domain/sharing/PageName.ts"
import { CurrentCaller } from "../../../ports/access/CurrentCaller.ts"
import { commandsOf, ofInstallation, ofOrganisation } from "../Operation.ts"
import { commaList, fileOf, optional, optionalText, wholeNumber, wholeNumbers, withDescription } from "./Parameters.ts"

const file = (flag: string, what: string) => Flag.optional(fileOf(flag, `A file with ${what}`))

const linkFile = "link-token-file"
const paymentFile = "payment-token-file"
const progressFile = "token-file"
const retriesFile = "retries-file"

/** A page is named by what its organisation knows: a link's code and a set's url_key are secrets of their addresses. */
const target = {
  slug: optionalText("form", "The form's slug"),
  embedded: optionalText("embed-token", "The form's embed_token, in place of its slug"),
  link: optionalText("link", "The id of a checkout link, in place of a form"),
  set: optionalText("set", "The id of a recommendation set, in place of a form"),
  dt: file(linkFile, "the token of the donor's own link"),
  campaign: optionalText("campaign", "The public_ref of the campaign that the gift is attributed to")
}

const details = {
  donor_type: optional(Flag.Literals("donor-type", DonorType.literals), "Who gives: a person, or what kind of body"),
  email: optionalText("email", "The donor's e-mail address"),
  first_name: optionalText("first-name", "The donor's given name"),
  last_name: optionalText("last-name", "The donor's family name"),
  organisation_name: optionalText("organisation-name", "The name of an organisation or trust that gives"),
  phone: optionalText("phone", "The donor's telephone number"),
  address_line1: optionalText("address-line1", "The donor's street address"),
  address_line2: optionalText("address-line2", "The second line of the donor's address"),
  suburb: optionalText("suburb", "The donor's suburb or town"),
  state: optionalText("state", "The donor's state or territory"),
  postcode: optionalText("postcode", "The donor's postcode"),
  country: optionalText("country", "The donor's country"),
  employer_name: optionalText("employer-name", "The name of the donor's employer"),
  occupation: optionalText("occupation", "The donor's occupation")
}

/** A line of a file is a token without the line's end. */
const lineOf = (text: string | null | undefined): string | null => text?.trim() ?? null

const targetFields = {
  ...Struct.pick(Checkout.Target.fields, ["slug", "dt", "campaign"]),
  embedded: Checkout.Target.fields.embed_token,
  link: Schema.optionalKey(CheckoutLinkId),
  set: Schema.optionalKey(RecommendationSetId)
}

const targetInput = Schema.Struct(targetFields)

const inputFields = {
  ...targetFields,
  ...Struct.pick(Checkout.Submission.fields, ["method", "frequency", "retries", "language", "payment_token"]),
  amount_cents: Schema.optionalKey(Checkout.Submission.fields.amount_cents),
  currency: Schema.optionalKey(Checkout.Submission.fields.currency),
  submission_id: Schema.optionalKey(Checkout.Submission.fields.submission_id),
  amounts: Schema.optionalKey(Schema.Array(Schema.Int)),
  consent: Schema.optionalKey(Schema.String),
  ...Struct.pick(TypedDonor.fields, Struct.keys(details))
}

const invalid = (param: string, message: string) => new InvalidInput({ param, message })

const oneName = "Name the page by one of these: --form, --embed-token, --link or --set."

const targetOf = Effect.fnUntraced(function* (named: typeof targetInput.Type) {
  const { campaign, dt, embedded, link, set, slug } = named
  const { organisation } = yield* CurrentCaller
  const code = link === undefined ? null : (yield* CheckoutLinks.use((links) => links.read(link))).code
  const url_key = set === undefined ? null : (yield* RecommendationSets.use((sets) => sets.read(set))).url_key
  const page = pageNameIn({ slug, embed_token: embedded, code, url_key })
  if (Option.isNone(page)) return yield* invalid("slug", oneName)
  const asked: Checkout.Target = {
    organisation: organisation.slug,
    ...page.value,
    dt: lineOf(dt),
    campaign: campaign ?? null
  }
  return asked
})

/** The answers to what the page asks, in its order. */
const answersTo = ({ prompts }: Checkout.Page, given: string | undefined) => {
  const answers = given === undefined ? [] : commaList(given)
  if (answers.length === prompts.length && answers.every((each) => each === "yes" || each === "no")) {
    return Effect.succeed(
      prompts.map(({ id, text }, index) => ({ prompt_id: id, text, accepted: answers[index] === "yes" }))
    )
  }
  const each = prompts.length === 1 ? "" : " for each, with commas"
  const asks =
    prompts.length === 0
      ? "no consent prompts: leave --consent out."
      : `${prompts.length} consent prompt${prompts.length === 1 ? "" : "s"}: give --consent yes or no${each}. checkout open shows what is asked.`
  return Effect.fail(invalid("consent", `This page asks ${asks}`))
}

/** The amounts that are given for a set's recipients, or those that its page shows. */
const amountsOf = ({ set }: Checkout.Page, amounts: ReadonlyArray<number> | undefined) => {
  if (set === null) return Effect.succeed(null)
  if (amounts === undefined) return Effect.succeed(set.allocations.map(Struct.pick(["id", "amount_cents"])))
  const { length } = set.allocations
  return amounts.length === length
    ? Effect.succeed(set.allocations.map(({ id }, index) => ({ id, amount_cents: amounts[index] ?? 0 })))
    : Effect.fail(invalid("amounts", `amounts must be ${length} whole numbers of minor units, with commas.`))
}

/** The total where no amount is given: the link's amount, or the sum of a set's recipients. */
const totalOf = (page: Checkout.Page, entered: ReadonlyArray<Checkout.EnteredAmount> | null) =>
  page.link?.amount_cents ?? entered?.reduce((sum, { amount_cents }) => sum + amount_cents, 0)

export const pageOf = (named: typeof targetInput.Type) =>
  Effect.flatMap(targetOf(named), (asked) => Checkouts.use((checkouts) => checkouts.open(asked)))

const Given = Schema.Struct(inputFields)

/** Gives as a donor does on the page, which says what is not given. */
export const submit = Effect.fnUntraced(function* ({ submission_id = randomUUID(), ...input }: typeof Given.Type) {
  const { request_id } = yield* CurrentCaller
  const { amount_cents, amounts, consent, currency, frequency, language, method, payment_token, retries } = input
  const named = yield* targetOf(input)
  const page = yield* Checkouts.use((checkouts) => checkouts.open(named))
  const allocations = yield* amountsOf(page, amounts)
  const total = amount_cents ?? totalOf(page, allocations)
  if (total === undefined) {
    return yield* invalid("amount_cents", "amount_cents is needed on a form: the gift in minor units.")
  }
  const submission: Checkout.Submission = {
    ...named,
    submission_id,
    amount_cents: total,
    currency: currency ?? page.currency,
    method,
    frequency: frequency ?? null,
    retries: lineOf(retries),
    allocations,
    donor: Struct.pick(input, Struct.keys(details)),
    consent: yield* answersTo(page, consent),
    language: language ?? null,
    payment_token: lineOf(payment_token),
    request_id
  }
  return yield* Checkouts.use((checkouts) => checkouts.submit(submission))
})

/** The fault of a page that none or several of the flags name. */
const misuse = (given: Readonly<Record<string, unknown>>): string | undefined =>
  ["slug", "embedded", "link", "set"].filter((name) => given[name] !== undefined).length === 1 ? undefined : oneName

export const checkoutCommands = commandsOf("checkout", {
  open: ofOrganisation({
    description: "Show what the page of a form, checkout link or recommendation set shows, or why it takes no gift",
    parameters: target,
    secrets: { dt: linkFile },
    misuse,
    input: targetInput,
    output: Checkout.Page,
    run: pageOf
  }),
  visit: ofOrganisation({
    description: "Count that a donor opened a page, where it is one that counts and takes a gift now",
    parameters: target,
    secrets: { dt: linkFile },
    misuse,
    input: targetInput,
    output: Checkout.CountedVisit,
    run: (named) => Effect.flatMap(targetOf(named), (asked) => Checkouts.use((checkouts) => checkouts.visit(asked)))
  }),
  submit: ofOrganisation({
    description: "Give through a form, a checkout link or a recommendation set, as a donor does on its page",
    parameters: {
      ...target,
      amount_cents: optional(
        wholeNumber("amount-cents"),
        "The gift in minor units of the currency; on a link or a set what the page asks for, by default"
      ),
      amounts: optional(
        wholeNumbers("amounts"),
        "What goes to each recipient of a set, in minor units with commas, in its order; what the page shows by default"
      ),
      currency: optionalText("currency", "The currency that the page shows, e.g. AUD; the page's by default"),
      method: withDescription(Flag.Literals("method", PaymentMethod.literals), "How the donor pays"),
      frequency: optional(
        Flag.Literals("frequency", Frequency.literals),
        "How often the gift is repeated, one of the page's frequencies; it is given once by default"
      ),
      retries: file(
        retriesFile,
        "the progress token of a recurring gift's first charge that failed, which this one tries again"
      ),
      language: optional(
        Flag.Literals("language", languages),
        "The language of the mails about the gift; English by default"
      ),
      payment_token: file(paymentFile, "what the donor pays with: in a sandbox a number of the test processor"),
      consent: optionalText(
        "consent",
        "The answers to the page's consent prompts, in their order: yes or no, with commas"
      ),
      submission_id: optionalText("submission-id", "A UUID: the same one is the same gift; a new one by default"),
      ...details
    },
    secrets: { dt: linkFile, payment_token: paymentFile, retries: retriesFile },
    misuse,
    input: Given,
    output: Checkout.SubmittedCheckout,
    run: submit
  }),
  progress: ofInstallation({
    description: "Show how a submission is going",
    parameters: {
      token: fileOf(progressFile, "A file with the progress token")
    },
    secrets: { token: progressFile },
    input: Schema.Struct({ token: Schema.String }),
    output: Checkout.ProgressPage,
    run: ({ token }) => Checkouts.use((checkouts) => checkouts.progress(token.trim()))
  }),
  resume: ofInstallation({
    description: "Take a submission that brought no money up again, with all of it but the means of payment",
    parameters: { token: fileOf(progressFile, "A file with the progress token") },
    secrets: { token: progressFile },
    input: Schema.Struct({ token: Schema.String }),
    output: Checkout.Resumption,
    run: ({ token }) => Checkouts.use((checkouts) => checkouts.resume(token.trim()))
  }),
  approve: ofInstallation({
    description:
      "Approve or refuse a payment of the test processor that waits for its donor, as the donor does at the bank",
    parameters: {
      progress_token: fileOf(progressFile, "A file with the progress token"),
      is_approved: withDescription(Flag.Literals("answer", ["yes", "no"]), "Whether the donor approves the payment")
    },
    secrets: { progress_token: progressFile },
    input: Schema.Struct({ progress_token: Schema.String, is_approved: Schema.Literals(["yes", "no"]) }),
    output: Checkout.ProgressPage,
    run: ({ is_approved, progress_token }) =>
      Checkouts.use((checkouts) =>
        checkouts.approve({ progress_token: progress_token.trim(), is_approved: is_approved === "yes" })
      )
  })
})
