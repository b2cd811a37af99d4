/** The contexts, in their order: one may import those left of it, on its own floor and below. docs/architecture.md. */
export const contexts = [
  "kernel",
  "access",
  "giving",
  "payments",
  "sharing",
  "insight",
  "compliance",
  "outbox"
] as const

export type ContextName = (typeof contexts)[number]

const isContext = (name: string): name is ContextName => contexts.some((context) => context === name)

/**
 * Floors whose files all belong to a context, and adapters that have rooms for contexts beside others. Endpoints have such
 * rooms, too, but keep no order: a tag of the contract may have operations of several contexts.
 */
const floors = /^src\/(?:domain|ports|app|adapters\/(?:postgres|memory))\/([a-z]+)\/./

/** The context that a file belongs to, null where it belongs to none. */
export const contextOf = (path: string): ContextName | null => {
  const name = floors.exec(path)?.[1] ?? ""
  return isContext(name) ? name : null
}

/** Insight and compliance know nothing of each other. */
export const mayKnow = (from: ContextName, to: ContextName): boolean =>
  contexts.indexOf(to) <= contexts.indexOf(from) && !(from === "compliance" && to === "insight")

/**
 * Who writes events has their types and the store that keeps them, although the catalogue is made of all contexts and so
 * comes last.
 */
const writersOfEvents: ReadonlySet<string> = new Set([
  "src/app/access/change/Change.ts",
  "src/ports/giving/DonationIntake.ts",
  "src/adapters/memory/giving/DonationIntake.ts",
  "src/adapters/postgres/giving/DonationIntake.ts"
])

/** Whether a file may import another, as far as contexts go. */
export const keepsOrder = (path: string, target: string): boolean => {
  const [from, to] = [contextOf(path), contextOf(target)]
  return from === null || to === null || mayKnow(from, to) || (to === "outbox" && writersOfEvents.has(path))
}
