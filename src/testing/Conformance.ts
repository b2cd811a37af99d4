import { Layer, String } from "effect"
import { describe } from "vitest"
import type { Transaction } from "../ports/kernel/Transaction.ts"
import * as Checks from "./conformance/Checks.ts"
import {
  addTo,
  type PortsOf,
  register,
  type SharedLayer,
  sharedSuite,
  storeChecks
} from "./conformance/Registration.ts"

export type {
  AddressesSubject,
  Behaviour,
  Check,
  ContentSubject,
  DonorSubject,
  DonorTokens,
  LimiterSubject,
  MacsSubject,
  MailTransportSubject,
  ProcessorDriver,
  ReceivedRequest,
  Receiver,
  SecretBoxSubject,
  Thoroughness,
  TransactionRecords,
  TransactionSubject,
  TransportSubject
} from "./conformance/Checks.ts"
export * from "./conformance/Suites.ts"

/** Every store port, and {@link DeliverySignal}. */
export type Stores = Transaction | PortsOf<ReturnType<(typeof storeChecks)[keyof typeof storeChecks]>>

/** Stores under test, all of them together. */
export interface Subject<E> extends Checks.DonorSubject, SharedLayer<Stores, E> {}

/** Registers what every `DonorStore` must do, as a vitest suite. */
export const donorStore = <E>(
  name: string,
  subject: Checks.DonorSubject & SharedLayer<PortsOf<ReturnType<typeof Checks.donorStore>>, E>
): void => register(name, subject.layer, Checks.donorStore(subject))

/** Registers what every `Transaction` must do, as a vitest suite: over a store that takes part in it. */
export const transaction = <R, E>(
  name: string,
  subject: Checks.TransactionSubject<R> & SharedLayer<PortsOf<ReturnType<typeof Checks.transaction<never>>> | R, E>
): void => register(name, subject.layer, Checks.transaction(subject))

/** A suite of checks that build their adapters themselves, each in its own way. */
const aloneOf =
  <S>(checksOf: (subject: S) => ReadonlyArray<Checks.Check>) =>
  (name: string, subject: S): void =>
    register(name, Layer.empty, checksOf(subject))

/** Registers what every `RateLimiter` must do, as a vitest suite. */
export const rateLimiter = aloneOf(Checks.rateLimiter)

/** Registers what every `Macs` must do, as a vitest suite. */
export const macs = aloneOf(Checks.macs)

/** Registers what every `MailTransport` must do, as a vitest suite. */
export const mailTransport = aloneOf(Checks.mailTransport)

/** Registers what every `SecretBox` must do, as a vitest suite. */
export const secretBox = aloneOf(Checks.secretBox)

/** Registers what every `StatementContent` must do, as a vitest suite. */
export const statementContent = aloneOf(Checks.statementContent)

/** Registers what every `WebhookAddresses` must do, as a vitest suite. */
export const webhookAddresses = aloneOf(Checks.webhookAddresses)

/** Registers what every `WebhookTransport` must do, as a vitest suite. */
export const webhookTransport = aloneOf(Checks.webhookTransport)

/** Registers what every adapter of the store ports must do, all ports together, as a vitest suite. */
export const conformance = <E>(name: string, subject: Subject<E>): void =>
  sharedSuite(name, subject.layer, (runtime) => {
    const transactions = Checks.transaction({ ...subject, records: Checks.donorRecords })
    describe("Transaction", () => addTo<Stores, E>(runtime, transactions))
    for (const [suite, checksOf] of Object.entries(storeChecks)) {
      describe(String.capitalize(suite), () => addTo<Stores, E>(runtime, checksOf(subject)))
    }
  })
