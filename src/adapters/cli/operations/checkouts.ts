import { randomUUID } from "node:crypto"
import { Effect, Schema, Struct } from "effect"
import { Flag } from "effect/cli"
import { Checkouts } from "../../../app/payments/Checkouts.ts"
import { TypedDonor } from "../../../domain/giving/CheckoutDonor.ts"
import { PaymentMethod } from "../../../domain/kernel/PaymentMethod.ts"
import * as Checkout from "../../../domain/payments/Checkout.ts"
import { CurrentCaller } from "../../../ports/access/CurrentCaller.ts"
import { type Operation, ofInstallation, ofOrganisation } from "../Operation.ts"
import { described, optional } from "./Parameters.ts"

const slug = optional(Flag.String("form"), "The form's slug")
const embedded = optional(Flag.String("embed-token"), "The form's embed_token, in place of its slug")

const file = (flag: string, what: string) =>
  Flag.withMetavar(Flag.optional(described(Flag.String(flag), `A file with ${what}; - for standard input`)), "<file>")

const linkFile = "link-token-file"
const paymentFile = "payment-token-file"
const progressFile = "token-file"

const dt = file(linkFile, "the token of the donor's own link")

const target = { slug, embedded, dt }

/** The details of a donor, each a flag of its own. */
const details = {
  email: optional(Flag.String("email"), "The donor's e-mail address"),
  first_name: optional(Flag.String("first-name"), "The donor's given name"),
  last_name: optional(Flag.String("last-name"), "The donor's family name"),
  organisation_name: optional(Flag.String("organisation-name"), "The name of an organisation or trust that gives"),
  phone: optional(Flag.String("phone"), "The donor's telephone number"),
  address_line1: optional(Flag.String("address"), "The donor's street address"),
  suburb: optional(Flag.String("suburb"), "The donor's suburb or town"),
  state: optional(Flag.String("state"), "The donor's state or territory"),
  postcode: optional(Flag.String("postcode"), "The donor's postcode"),
  country: optional(Flag.String("country"), "The donor's country")
}

/** A line of a file is a token without the line's end. */
const lineOf = (text: string | null | undefined): string | null => text?.trim() ?? null

const inputFields = {
  ...Struct.omit(Checkout.Submission.fields, ["donor", "embed_token", "organisation", "request_id", "submission_id"]),
  embedded: Checkout.Submission.fields.embed_token,
  submission_id: Schema.optionalKey(Checkout.Submission.fields.submission_id),
  ...Struct.pick(TypedDonor.fields, [
    "email",
    "first_name",
    "last_name",
    "organisation_name",
    "phone",
    "address_line1",
    "suburb",
    "state",
    "postcode",
    "country"
  ])
}

export const checkoutCommands: ReadonlyArray<Operation> = [
  ofOrganisation({
    group: "checkout",
    name: "open",
    description: "Show what the page of a form shows, or why it takes no gift",
    parameters: target,
    secrets: { dt: linkFile },
    input: Schema.Struct({
      ...Struct.pick(Checkout.Target.fields, ["slug", "dt"]),
      embedded: Checkout.Target.fields.embed_token
    }),
    output: Checkout.Page,
    run: Effect.fnUntraced(function* ({ dt: link, embedded: token, slug: form }) {
      const { organisation } = yield* CurrentCaller
      const asked = {
        organisation: organisation.slug,
        slug: form ?? null,
        embed_token: token ?? null,
        dt: lineOf(link)
      }
      return yield* Checkouts.use((checkouts) => checkouts.open(asked))
    })
  }),
  ofOrganisation({
    group: "checkout",
    name: "submit",
    description: "Give through a form, as a donor does on its page",
    parameters: {
      ...target,
      amount_cents: described(Flag.Int("amount-cents"), "The gift in minor units of the currency"),
      currency: described(Flag.String("currency"), "The currency that the page shows, e.g. AUD"),
      method: described(Flag.Literals("method", PaymentMethod.literals), "How the donor pays"),
      payment_token: file(paymentFile, "what the donor pays with: in a sandbox a number of the test processor"),
      submission_id: optional(
        Flag.String("submission-id"),
        "A UUID: the same one is the same gift; a new one by default"
      ),
      ...details
    },
    secrets: { dt: linkFile, payment_token: paymentFile },
    input: Schema.Struct(inputFields),
    output: Checkout.Submitted,
    run: Effect.fnUntraced(function* ({ submission_id = randomUUID(), ...input }) {
      const { organisation, request_id } = yield* CurrentCaller
      const { amount_cents, currency, dt: link, embedded: token, method, payment_token, slug: form, ...rest } = input
      const submission: Checkout.Submission = {
        organisation: organisation.slug,
        slug: form ?? null,
        embed_token: token ?? null,
        dt: lineOf(link),
        submission_id,
        amount_cents,
        currency,
        method,
        donor: rest,
        payment_token: lineOf(payment_token),
        request_id
      }
      return yield* Checkouts.use((checkouts) => checkouts.submit(submission))
    })
  }),
  ofInstallation({
    group: "checkout",
    name: "progress",
    description: "Show how a submission is going",
    parameters: {
      token: Flag.withMetavar(
        described(Flag.String(progressFile), "A file with the progress token; - for standard input"),
        "<file>"
      )
    },
    secrets: { token: progressFile },
    input: Schema.Struct({ token: Schema.String }),
    output: Checkout.Progress,
    run: ({ token }) => Checkouts.use((checkouts) => checkouts.progress(token.trim()))
  })
]
