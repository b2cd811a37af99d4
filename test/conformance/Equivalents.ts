/** Wrong adapters that keep every promise of their port, as `Port.member change`, by the reason why they do. */
export const equivalents: ReadonlyArray<readonly [reason: string, wrongs: ReadonlyArray<string>]> = []
