import { Option } from "effect"
import { get, type State } from "../State.ts"

interface Booked {
  readonly organisation_id: string
  readonly revenue_code: string | null
  readonly revenue_code_id: string | null
}

/** The record with the present spelling of its revenue code. */
export const bookedUnder = <A extends Booked>(state: State, record: A): A =>
  record.revenue_code_id === null
    ? record
    : Option.match(get(state.revenueCodes, record.organisation_id, record.revenue_code_id), {
        onNone: () => record,
        onSome: ({ code }) => ({ ...record, revenue_code: code })
      })
