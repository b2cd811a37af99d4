import { Predicate, Schema } from "effect"
import { Argument, Flag } from "effect/cli"
import { refundOperations } from "../../../app/giving/Refunds.ts"
import { chargeOperations } from "../../../app/payments/Charges.ts"
import { ledgerOperations } from "../../../app/payments/Ledger.ts"
import { noticeOperations } from "../../../app/payments/Notices.ts"
import { paymentExceptionOperations } from "../../../app/payments/PaymentExceptions.ts"
import { reconcilerOperations } from "../../../app/payments/Reconciler.ts"
import { tariffOperations } from "../../../app/payments/Tariffs.ts"
import { Plan, plans } from "../../../domain/access/Plan.ts"
import { Status as RefundStatus } from "../../../domain/giving/Refund.ts"
import { Status } from "../../../domain/payments/Charge.ts"
import { HeldMoneyOutcome } from "../../../domain/payments/ExceptionResolution.ts"
import { Cause } from "../../../domain/payments/Ledger.ts"
import { Status as NoticeStatus } from "../../../domain/payments/Notice.ts"
import { Status as ExceptionStatus, Kind } from "../../../domain/payments/PaymentException.ts"
import { commandsOf, overInstallation, runAgainst, type UnnamedOperation } from "../Operation.ts"
import {
  idOf,
  optional,
  optionalText,
  pageFlags,
  switchOf,
  text,
  valuesOf,
  wholeNumber,
  wholeNumbers,
  withDescription
} from "./Parameters.ts"

export const chargeCommands = commandsOf("charge", {
  list: runAgainst(chargeOperations.list, {
    parameters: {
      status: optional(Flag.Literals("status", Status.literals), "Those that are this far"),
      subject_id: optionalText("subject", "Those of this gift or payment"),
      ...pageFlags
    },
    columns: ["id", "subject_id", "method", "amount_cents", "currency", "status", "failure_code", "created_at"]
  }),
  show: runAgainst(chargeOperations.read),
  look: runAgainst(chargeOperations.look)
})

export const refundCommands = commandsOf("refund", {
  list: runAgainst(refundOperations.list, {
    parameters: {
      status: optional(Flag.Literals("status", RefundStatus.literals), "Those that are this far"),
      ...pageFlags
    },
    columns: ["id", "donation_id", "amount_cents", "status", "created_at", "refunded_at"]
  }),
  settle: runAgainst(refundOperations.settle, {
    parameters: {
      id: idOf("refund"),
      processor_reference: optionalText("processor-reference", "What the bank or the processor calls it")
    }
  }),
  fail: runAgainst(refundOperations.fail)
})

const resolving = {
  id: Argument.optional(idOf("exception")),
  note: text("note", "What was done about it"),
  money: optional(
    Flag.Literals("money", HeldMoneyOutcome.literals),
    "What became of held money: returned to the donor by hand, kept by the organisation, or that it never came"
  ),
  as_gift: switchOf("as-gift", "Book held money of a bank account as a manual gift of the day on which it came"),
  donor_id: optionalText("donor", "The id of the donor of that gift"),
  charge_ids: Flag.optional(
    valuesOf("charge", "The charges that held money of a bank account is for, comma-separated")
  ),
  amounts_cents: Flag.optional(
    withDescription(
      wholeNumbers("amounts-cents"),
      "How much is for each of them, in cents, comma-separated (default: what each waits for)"
    )
  ),
  all: switchOf(
    "all",
    "Resolve all open ones of --kind that were found before --before: show them, unless --confirm is given"
  ),
  kind: optional(Flag.Literals("kind", Kind.literals), "Beside --all: those of this kind"),
  before: optionalText("before", "Beside --all: those that were found before this day, YYYY-MM-DD"),
  confirm: switchOf("confirm", "Beside --all: resolve what it shows without it")
}

const ofOne = ["id", "as_gift", "donor_id", "charge_ids", "amounts_cents"] as const
const ofAll = ["kind", "before", "confirm"] as const

const isGiven = (given: Readonly<Record<string, unknown>>, name: string): boolean =>
  given[name] !== undefined && given[name] !== false

/** One command over an operation for one record, and the same over one for all of a kind, where `--all` is given. */
const oneOrAll = (one: UnnamedOperation, all: UnnamedOperation): UnnamedOperation => ({
  ...one,
  output: Schema.Union([one.output, all.output]),
  misuse: (given) => {
    const isMany = given["all"] === true
    if (!isMany && given["id"] === undefined) return "Name the exception by its id, or give --all."
    const wrong = (isMany ? ofOne : ofAll).find((name) => isGiven(given, name))
    if (wrong !== undefined)
      return `${wrong.replace("_", "-")} must not be given ${isMany ? "beside" : "without"} --all.`
    return isMany && (given["kind"] === undefined || given["before"] === undefined)
      ? "--all must stand beside --kind and --before."
      : undefined
  },
  remark: (result) =>
    Predicate.hasProperty(result, "is_dry_run") && result.is_dry_run === true
      ? "Nothing was resolved. Give --confirm to resolve them."
      : undefined,
  perform: (input, slug) => {
    const { all: isMany, as_gift, confirm, ...given } = Object(input)
    return isMany === true
      ? all.perform({ ...given, is_dry_run: confirm !== true }, slug)
      : one.perform({ ...given, as_gift }, slug)
  }
})

export const paymentExceptionCommands = commandsOf("exception", {
  list: runAgainst(paymentExceptionOperations.list, {
    parameters: {
      status: optional(
        Flag.Literals("status", ExceptionStatus.literals),
        "Those that are open, or those that are resolved"
      ),
      kind: optional(Flag.Literals("kind", Kind.literals), "Those of one kind"),
      ...pageFlags
    },
    columns: [
      "id",
      "kind",
      "charge_id",
      "amount_cents",
      "held_cents",
      "currency",
      "reason",
      "created_at",
      "candidates.donor_name"
    ]
  }),
  show: runAgainst(paymentExceptionOperations.read),
  resolve: oneOrAll(
    runAgainst(paymentExceptionOperations.resolve, { parameters: resolving }),
    runAgainst(paymentExceptionOperations.resolveAll, { parameters: resolving })
  )
})

const parameters = {
  status: optional(Flag.Literals("status", NoticeStatus.literals), "Those that are this far"),
  charge_id: optionalText("charge", "Those that name this charge"),
  ...pageFlags
}

const columns = ["id", "type", "charge_id", "reference", "status", "attempts", "error", "created_at"]

export const noticeCommands = commandsOf("notice", {
  list: runAgainst(noticeOperations.list, { parameters, columns }),
  show: runAgainst(noticeOperations.read),
  retry: runAgainst(noticeOperations.retry),
  unclaimed: overInstallation(noticeOperations.unclaimed, { parameters, columns })
})

export const ledgerCommands = commandsOf("ledger", {
  check: overInstallation(ledgerOperations.check, {
    columns: ["organisation_id", "currency", "balances", "faults"]
  }),
  list: runAgainst(ledgerOperations.list, {
    parameters: {
      charge_id: optionalText("charge", "What this charge moved"),
      cause: optional(Flag.Literals("cause", Cause.literals), "What such a thing moved"),
      ...pageFlags
    },
    columns: ["id", "at", "cause", "cause_id", "from_account", "to_account", "amount_cents", "currency"]
  })
})

export const tariffCommands = commandsOf("tariff", {
  set: overInstallation(tariffOperations.set, {
    parameters: {
      plan: Argument.withDescription(
        Argument.Literals("plan", Plan.literals),
        `The plan (choices: ${plans.join(", ")})`
      ),
      basis_points: withDescription(wholeNumber("basis-points"), "The share of a payment, in hundredths of a percent"),
      fixed_cents: withDescription(wholeNumber("fixed-cents"), "The fixed amount of each payment, in minor units"),
      effective_from: optionalText("effective-from", "When it begins to apply, an ISO 8601 instant; now by default")
    }
  }),
  list: overInstallation(tariffOperations.list, {
    columns: ["plan", "effective_from", "basis_points", "fixed_cents"]
  })
})

export const reconcilerCommands = commandsOf(null, {
  reconcile: overInstallation(reconcilerOperations.reconcile, {
    parameters: {
      since: optionalText("since", "Look again at everything since then: RFC 3339, or a date in UTC")
    }
  })
})
