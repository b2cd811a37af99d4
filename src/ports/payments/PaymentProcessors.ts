import { Context, type Effect, Option, Schema } from "effect"
import type { Integration } from "../../domain/access/Integration.ts"
import { CredentialField, type Credentials } from "../../domain/access/OwnCredentials.ts"
import type { PaymentMethod } from "../../domain/giving/DonationKinds.ts"
import type { Refund } from "../../domain/giving/Refund.ts"
import { Rejection } from "../../domain/kernel/Rejection.ts"
import type { Charge } from "../../domain/payments/Charge.ts"
import type { Mandate } from "../../domain/payments/Mandate.ts"
import type { NextStep } from "../../domain/payments/NextStep.ts"
import type { ChargeSnapshot } from "../../domain/payments/Snapshot.ts"
import type { ProcessorNotices } from "./ProcessorNotices.ts"
import type { ProcessorOnboarding } from "./ProcessorOnboarding.ts"
import type { ProcessorStatements } from "./ProcessorStatements.ts"
import type { ProcessorTransfers } from "./ProcessorTransfers.ts"

/** The code of a refusal that no processor gave: this installation has no key to ask it with, so that nothing was asked. */
export const processorNotConfigured = "processor_not_configured"

/** The processor said no, and means it: what was asked for did not happen, and will not under this key. */
export class ProcessorRefused extends Rejection.extend<ProcessorRefused>("ProcessorRefused")({
  _tag: Schema.tag("ProcessorRefused"),
  /** The processor's own code, such as `card_declined`. */
  code: Schema.String,
  message: Schema.String
}) {}

/**
 * The reason where a processor has nothing under a reference that it gave: it is asked about another account's objects, and
 * what became of its own is unknown. money, section 11.
 */
export const mandateMissing = "mandate_missing"

/** The reasons that last until a person removes them: to ask again changes nothing. Any other may pass by itself. */
const lasting: Readonly<Record<string, string>> = {
  key_not_accepted:
    "The payment processor does not accept the key that it is asked with: it was mistyped, rolled or deleted. Set the right one.",
  not_permitted:
    "The key that the payment processor is asked with may not do this. Permit it at the processor, or set another key.",
  [mandateMissing]:
    "The payment processor has nothing of what the donor's means of payment were kept as: it is asked with the key of another account. Set the right one.",
  credentials_not_opened:
    "The account's own credentials cannot be opened with the encryption keys here. Bring the key back that sealed them, or rotate them."
}

/** Nobody knows whether it happened: no answer, a broken one, or an error of the processor's own. */
export class ProcessorUnreachable extends Rejection.extend<ProcessorUnreachable>("ProcessorUnreachable")({
  _tag: Schema.tag("ProcessorUnreachable"),
  /**
   * A code for logs; it holds nothing of the charge. MUST be `key_not_accepted` where the processor does not accept the key
   * that it is asked with.
   */
  reason: Schema.String
}) {
  /** Whether a person must remove the reason, so that to ask again changes nothing until then. */
  get lasts(): boolean {
    return Object.hasOwn(lasting, this.reason)
  }
  override get message(): string {
    const unknown = `The payment processor was not reached (${this.reason}). What was asked of it may have happened.`
    return this.lasts ? (lasting[this.reason] ?? unknown) : unknown
  }
}

/** How a call of a processor fails. */
export type ProcessorFailure = ProcessorRefused | ProcessorUnreachable

/** Credentials that an own account cannot be served with, or that could not be tried. It repeats nothing of them. */
export class CredentialsRefused extends Rejection.extend<CredentialsRefused>("CredentialsRefused")({
  _tag: Schema.tag("CredentialsRefused"),
  field: CredentialField,
  /** The rest of a sentence that begins with the field. */
  fault: Schema.String
}) {
  override get message(): string {
    return `The credentials cannot be used (${this.field}: ${this.fault}).`
  }
}

/** A charge, and the account that takes it. */
export interface ChargeContext {
  readonly charge: Charge
  readonly integration: Integration
  /** The mandate that the charge saves, or is taken by; none for one that is taken once. */
  readonly mandate?: Mandate | null
}

/** Whether a mandate can be charged. */
export type MandateState = "active" | "revoked"

/**
 * Mandates at a processor, for recurring gifts. A charge that saves one begins and is confirmed as any other, with the
 * mandate beside it: once it has succeeded, its snapshot MUST have the reference of what was kept. money, section 7.
 */
export interface ProcessorMandates {
  /**
   * Takes the money of a charge that was begun by its mandate, without the donor. A second call for a charge MUST NOT take
   * money again. A decline is no failure: `fetchCharge` tells of it.
   */
  chargeMandate(charging: ChargeContext, mandate: Mandate): Effect.Effect<void, ProcessorFailure>
  /**
   * Whether it can be charged now: donors revoke mandates at their banks, too. Only what the processor says so of is revoked: of
   * one that it does not know, all three calls fail with {@link ProcessorUnreachable} and {@link mandateMissing}.
   */
  fetchMandate(integration: Integration, mandate: Mandate): Effect.Effect<MandateState, ProcessorFailure>
  /** Forgets it. MUST succeed for one that is revoked already. */
  revokeMandate(integration: Integration, mandate: Mandate): Effect.Effect<void, ProcessorFailure>
}

/** Capabilities of an account now. */
export interface Account {
  readonly charges_enabled: boolean
  /** The currency in which it is paid out, which charges must have. */
  readonly currency: string
}

/** The amounts that an adapter takes by a method. */
export interface ProcessorBounds {
  /** The greatest one at once, minor units; where there is none, every gift is small enough. */
  readonly maximum_cents?: number
  /** The least ones, by their currencies, minor units. Any is enough in a currency that is not here. */
  readonly minimum_cents?: Readonly<Record<string, number>>
}

/** Capabilities of an adapter. */
export interface Capabilities {
  readonly methods: ReadonlyArray<PaymentMethod>
  /** The amounts that it takes by each method; any by one that is not here. */
  readonly bounds?: Readonly<Partial<Record<PaymentMethod, ProcessorBounds>>>
  /** Whether money can be paid back through it. */
  readonly refunds: boolean
  /** Whether it is told what the donor pays with before it takes the money. */
  readonly confirms: boolean
  /** Whether it lists its charges and what moved: where not, the reconciler compares neither. */
  readonly statements: boolean
}

/** A wallet that a processor does not offer on a domain, and its reason. */
export interface WalletRefusal {
  readonly wallet: string
  readonly reason: string
}

/**
 * One payment processor. Everything is idempotent by the id of the charge or the refund, which MUST be sent as the
 * processor's idempotency key and kept in the object's metadata. Nothing MUST be thrown: a definite refusal is
 * {@link ProcessorRefused}, and every outcome that is not known {@link ProcessorUnreachable}. Nothing here is called inside a
 * transaction. money, sections 1 and 3.
 */
export interface PaymentProcessor extends ProcessorNotices, ProcessorStatements, Partial<ProcessorMandates> {
  /** One that keeps means of payment for recurring gifts has all of {@link ProcessorMandates}; any other has none of it. */
  readonly capabilities: Capabilities
  /**
   * Makes the charge known and returns the processor's reference. MUST take no money. The same charge MUST get the same
   * reference.
   */
  begin(charging: ChargeContext): Effect.Effect<{ readonly reference: string }, ProcessorFailure>
  /**
   * Takes the money with what the donor pays with, a token that the processor's own page made. A second call for a charge
   * MUST NOT take money again. A decline is no failure: {@link fetchCharge} tells of it.
   */
  confirm(charging: ChargeContext, payment_token: string): Effect.Effect<void, ProcessorFailure>
  /**
   * Ends a charge that brought no money. MUST leave alone one that succeeded or is in the bank network, without failing:
   * {@link fetchCharge} tells of it.
   */
  cancel(charging: ChargeContext): Effect.Effect<void, ProcessorFailure>
  /** The charge as it stands now, `absent` where the processor has none of this id. */
  fetchCharge(charging: ChargeContext): Effect.Effect<ChargeSnapshot, ProcessorFailure>
  /** The donor's next step; none where there is none. */
  nextStep(charging: ChargeContext): Effect.Effect<Option.Option<NextStep>, ProcessorFailure>
  /** Pays back. MUST pay a refund once, however often it is asked for it. */
  refund(charging: ChargeContext, refund: Refund): Effect.Effect<{ readonly reference: string }, ProcessorFailure>
  fetchAccount(integration: Integration): Effect.Effect<Account, ProcessorFailure>
  /** How organisations get accounts there. Where it opens none, each brings the identifier of one that it has. */
  readonly onboarding?: ProcessorOnboarding
  /** How it brings money on to other accounts. Where it cannot, the parts of shared payments wait until it can. */
  readonly transfers?: ProcessorTransfers
  /**
   * Asks the processor for the account of an integration with the credentials that it is to have, whatever it has now. Those
   * of the other mode than its organisation's, of another account, and those that are not accepted are
   * {@link CredentialsRefused}. Only where organisations may have accounts of their own: those are never asked with others'
   * credentials than theirs.
   */
  readonly checkCredentials?: (
    integration: Integration,
    credentials: Credentials
  ) => Effect.Effect<Account, CredentialsRefused>
  /**
   * Makes the host of an organisation's pages known, without which wallets such as Apple Pay are not offered there; the wallets
   * that stay without, and why. Asking for the same host again changes nothing. Only where wallets need it.
   */
  readonly registerDomain?: (
    integration: Integration,
    domain: string
  ) => Effect.Effect<ReadonlyArray<WalletRefusal>, ProcessorFailure>
  /**
   * The wallet that the card of a token is in, in the processor's own word, such as `apple_pay`; none for a card that was typed,
   * and for whatever is not known to be in one. MUST be by what the processor knows, not by what the page says. Only where it
   * tells; else no wallet is taken where cards are closed.
   */
  readonly walletOf?: (
    integration: Integration,
    payment_token: string
  ) => Effect.Effect<Option.Option<string>, ProcessorFailure>
  /** The public key that the processor's component on a donor's page needs for this account; none where it needs none. */
  pageKey(integration: Integration): Effect.Effect<Option.Option<string>>
}

/** The payment processors of this installation, by the name that an integration has. */
export class PaymentProcessors extends Context.Service<
  PaymentProcessors,
  {
    /** None where this installation has no such processor. */
    find(name: string): Option.Option<PaymentProcessor>
  }
>()("almoner/ports/PaymentProcessors") {}

const keepsMandates = (processor: PaymentProcessor): processor is PaymentProcessor & ProcessorMandates =>
  processor.chargeMandate !== undefined && processor.fetchMandate !== undefined && processor.revokeMandate !== undefined

/** Mandates at the processor; none where it keeps no means of payment. */
export const mandatesOf = (processor: PaymentProcessor): Option.Option<ProcessorMandates> =>
  keepsMandates(processor) ? Option.some(processor) : Option.none()
