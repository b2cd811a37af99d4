import { String } from "effect"
import { describe } from "vitest"
import type { Transaction } from "../ports/kernel/Transaction.ts"
import * as Checks from "./conformance/Checks.ts"
import {
  addTo,
  type PortsOf,
  register,
  registerAlone,
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

/** Registers what every `RateLimiter` must do, as a vitest suite. */
export const rateLimiter = <E>(name: string, subject: Checks.LimiterSubject<E>): void =>
  registerAlone(name, Checks.rateLimiter(subject))

/** Registers what every `Macs` must do, as a vitest suite. */
export const macs = <E>(name: string, subject: Checks.MacsSubject<E>): void => registerAlone(name, Checks.macs(subject))

/** Registers what every `MailTransport` must do, as a vitest suite. */
export const mailTransport = <E>(name: string, subject: Checks.MailTransportSubject<E>): void =>
  registerAlone(name, Checks.mailTransport(subject))

/** Registers what every `SecretBox` must do, as a vitest suite. */
export const secretBox = <E>(name: string, subject: Checks.SecretBoxSubject<E>): void =>
  registerAlone(name, Checks.secretBox(subject))

/** Registers what every `StatementContent` must do, as a vitest suite. */
export const statementContent = <E>(name: string, subject: Checks.ContentSubject<E>): void =>
  registerAlone(name, Checks.statementContent(subject))

/** Registers what every `WebhookAddresses` must do, as a vitest suite. */
export const webhookAddresses = <E>(name: string, subject: Checks.AddressesSubject<E>): void =>
  registerAlone(name, Checks.webhookAddresses(subject))

/** Registers what every `WebhookTransport` must do, as a vitest suite. */
export const webhookTransport = <E>(name: string, subject: Checks.TransportSubject<E>): void =>
  registerAlone(name, Checks.webhookTransport(subject))

/** Registers what every adapter of the store ports must do, all ports together, as a vitest suite. */
export const conformance = <E>(name: string, subject: Subject<E>): void =>
  sharedSuite(name, subject.layer, (runtime) => {
    const transactions = Checks.transaction({ ...subject, records: Checks.donorRecords })
    describe("Transaction", () => addTo<Stores, E>(runtime, transactions))
    for (const [suite, checksOf] of Object.entries(storeChecks)) {
      describe(String.capitalize(suite), () => addTo<Stores, E>(runtime, checksOf(subject)))
    }
  })
