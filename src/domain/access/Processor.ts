import { Schema } from "effect"
import { Limits } from "../kernel/Limits.ts"
import { InvalidInput } from "../kernel/Rejection.ts"
import type { Organisation } from "./Organisation.ts"

/** The processors that come with Almoner. A host may bring others. money, section 2: Integration. */
export const processors = ["test", "stripe", "bank"] as const
/** The name of a processor that comes with Almoner. */
export type Processor = (typeof processors)[number]

const isOurs = (name: string): boolean => processors.some((each) => each === name)

/** The name of a processor: one that comes with Almoner, or one of the host's own. */
export const ProcessorName = Schema.String.check(
  Schema.isPattern(/^[a-z][a-z0-9_]*$/, {
    description: "the name of a processor: a letter from a to z, then such letters, digits and _"
  }),
  Schema.isMaxLength(Limits.processorNameCharacters)
)

/**
 * What is wrong with an account's identifier at a processor; null where nothing can be seen to be. One that was shortened
 * on its way, or copied with something else, is none.
 * @example Processor.accountFault("stripe", "acct_1…")
 * // => "processor_connect_account_id must be an account of Stripe, acct_ and then letters and digits."
 */
export const accountFault = (processor: string, id: string): string | null => {
  const param = "processor_connect_account_id"
  if (processor === "stripe") {
    return /^acct_[A-Za-z0-9_]+$/.test(id)
      ? null
      : `${param} must be an account of Stripe, acct_ and then letters and digits.`
  }
  return /^[ -~]+$/.test(id) ? null : `${param} must be made of letters from a to z, digits and signs of ASCII.`
}

type Kept = Pick<Organisation, "is_sandbox">

/**
 * The processor of an integration for which none is named.
 * @example Processor.usualProcessor({ is_sandbox: true }) // => "test"
 */
export const usualProcessor = ({ is_sandbox }: Kept): Processor => (is_sandbox ? "test" : "stripe")

/**
 * Whether an organisation may have accounts at a processor: no play money where it is real, and none that is real in play.
 * Stripe and a host's own processors tell test accounts from others by themselves.
 * @example Processor.mayUse({ is_sandbox: false }, "test") // => false
 */
export const mayUse = ({ is_sandbox }: Kept, processor: string): boolean =>
  processor === "stripe" || !isOurs(processor) || (processor === "test") === is_sandbox

/**
 * The refusal of a processor that an organisation may not have accounts at; null where it may.
 * @example
 * Processor.processorRefusal({ is_sandbox: true }, "test") // => null
 * Processor.processorRefusal({ is_sandbox: false }, "test")?.param // => "processor"
 */
export const processorRefusal = (organisation: Kept, processor: string): InvalidInput | null => {
  if (mayUse(organisation, processor)) return null
  const message = organisation.is_sandbox
    ? `processor must not be ${processor} in a sandbox, because its money is real. Use test.`
    : "processor must not be test for a live organisation, because no money moves there. Use it in the sandbox."
  return new InvalidInput({ param: "processor", message })
}

/** The refusal of a processor that an installation does not have. */
export const processorMissing = (processor: string): InvalidInput =>
  new InvalidInput({
    param: "processor",
    message: `processor must be one that this installation has: ${processors.join(", ")}, or one of the host's own. It has no ${processor}.`
  })
