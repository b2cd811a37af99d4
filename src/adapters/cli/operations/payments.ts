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
import { Cause } from "../../../domain/payments/Ledger.ts"
import { Status as NoticeStatus } from "../../../domain/payments/Notice.ts"
import { Status as ExceptionStatus, Kind } from "../../../domain/payments/PaymentException.ts"
import type { Operation } from "../Operation.ts"
import { overInstallation, runAgainst } from "../Over.ts"
import { idOf, optional, pageFlags, withDescription } from "./Parameters.ts"

export const chargeCommands: ReadonlyArray<Operation> = [
  runAgainst(chargeOperations.list, {
    group: "charge",
    name: "list",
    parameters: {
      status: optional(Flag.Literals("status", Status.literals), "Those that are this far"),
      subject_id: optional(Flag.String("subject"), "Those of this gift or payment"),
      ...pageFlags
    },
    columns: ["id", "subject_id", "method", "amount_cents", "currency", "status", "failure_code", "created_at"]
  }),
  runAgainst(chargeOperations.read, { group: "charge", name: "show", parameters: { id: idOf("charge") } }),
  runAgainst(chargeOperations.look, { group: "charge", name: "look", parameters: { id: idOf("charge") } })
]

export const refundCommands: ReadonlyArray<Operation> = [
  runAgainst(refundOperations.list, {
    group: "refund",
    name: "list",
    parameters: {
      status: optional(Flag.Literals("status", RefundStatus.literals), "Those that are this far"),
      ...pageFlags
    },
    columns: ["id", "donation_id", "amount_cents", "status", "created_at", "refunded_at"]
  }),
  runAgainst(refundOperations.settle, {
    group: "refund",
    name: "settle",
    parameters: {
      id: idOf("refund"),
      processor_reference: optional(Flag.String("reference"), "What the bank or the processor calls it")
    }
  }),
  runAgainst(refundOperations.fail, { group: "refund", name: "fail", parameters: { id: idOf("refund") } })
]

export const paymentExceptionCommands: ReadonlyArray<Operation> = [
  runAgainst(paymentExceptionOperations.list, {
    group: "exception",
    name: "list",
    parameters: {
      status: optional(
        Flag.Literals("status", ExceptionStatus.literals),
        "Those that are open, or those that are resolved"
      ),
      kind: optional(Flag.Literals("kind", Kind.literals), "Those of one kind"),
      ...pageFlags
    },
    columns: ["id", "kind", "charge_id", "amount_cents", "held_cents", "reason", "created_at"]
  }),
  runAgainst(paymentExceptionOperations.resolve, {
    group: "exception",
    name: "resolve",
    parameters: {
      id: idOf("exception"),
      note: withDescription(Flag.String("note"), "What was done about it"),
      money: optional(
        Flag.Literals("money", ["returned", "kept"]),
        "What became of held money: returned to the donor by hand, or kept by the organisation"
      ),
      as_gift: Flag.withDefault(
        withDescription(
          Flag.Boolean("as-gift"),
          "Book held money of a bank account as a manual gift of the day on which it came"
        ),
        false
      ),
      donor_id: optional(Flag.String("donor"), "The id of the donor of that gift")
    }
  })
]

const group = "notice"

const parameters = {
  status: optional(Flag.Literals("status", NoticeStatus.literals), "Those that are this far"),
  charge_id: optional(Flag.String("charge"), "Those that name this charge"),
  ...pageFlags
}

const columns = ["id", "type", "charge_id", "reference", "status", "attempts", "error", "created_at"]

export const noticeCommands: ReadonlyArray<Operation> = [
  runAgainst(noticeOperations.list, { group, name: "list", parameters, columns }),
  runAgainst(noticeOperations.read, { group, name: "show", parameters: { id: idOf("notice") } }),
  runAgainst(noticeOperations.retry, { group, name: "retry", parameters: { id: idOf("notice") } }),
  overInstallation(noticeOperations.unclaimed, { group, name: "unclaimed", parameters, columns })
]

export const ledgerCommands: ReadonlyArray<Operation> = [
  overInstallation(ledgerOperations.check, {
    group: "ledger",
    name: "check",
    parameters: {},
    columns: ["organisation_id", "currency", "balances", "faults"]
  }),
  runAgainst(ledgerOperations.list, {
    group: "ledger",
    name: "list",
    parameters: {
      charge_id: optional(Flag.String("charge"), "What this charge moved"),
      cause: optional(Flag.Literals("cause", Cause.literals), "What such a thing moved"),
      ...pageFlags
    },
    columns: ["id", "at", "cause", "cause_id", "from_account", "to_account", "amount_cents", "currency"]
  })
]

export const tariffCommands: ReadonlyArray<Operation> = [
  overInstallation(tariffOperations.set, {
    group: "tariff",
    name: "set",
    parameters: {
      plan: Argument.withDescription(
        Argument.Literals("plan", Plan.literals),
        `The plan (choices: ${plans.join(", ")})`
      ),
      basis_points: withDescription(Flag.Int("basis-points"), "The share of a payment, in hundredths of a percent"),
      fixed_cents: withDescription(Flag.Int("fixed-cents"), "The fixed amount of each payment, in minor units"),
      effective_from: optional(Flag.String("from"), "When it begins to apply, an ISO 8601 instant; now by default")
    }
  }),
  overInstallation(tariffOperations.list, {
    group: "tariff",
    name: "list",
    parameters: {},
    columns: ["plan", "effective_from", "basis_points", "fixed_cents"]
  })
]

export const reconcilerCommands: ReadonlyArray<Operation> = [
  overInstallation(reconcilerOperations.reconcile, {
    group: null,
    name: "reconcile",
    parameters: {
      since: optional(Flag.String("since"), "Look again at everything since then: RFC 3339, or a date in UTC")
    }
  })
]
