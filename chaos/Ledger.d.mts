/** What the tests are told of {@link Ledger}; its documentation is in Ledger.mjs. */
export interface Arrival {
  readonly at: number
  readonly endpoint: string
  readonly id: string
  readonly isAccepted: boolean
  readonly subject: string
  readonly type: string
}

export declare class Ledger {
  committed(change: {
    readonly at: number
    readonly endpoints: ReadonlyArray<string>
    readonly subject: string
    readonly types: ReadonlyArray<string>
  }): void
  arrived(arrival: Arrival): void
  requests(id: string, losses?: ReadonlyArray<number>): number
  readonly missing: number
  waits(since?: number): ReadonlyArray<number>
  recovery(since: number): number | null
  count(
    losses?: ReadonlyArray<number>,
    wakes?: ReadonlyArray<number>
  ): {
    readonly expected: number
    readonly arrived: number
    readonly lost: number
    readonly doubled: number
    readonly repeated: number
  }
}
