import { Effect, Schema } from "effect"
import {
  byWrit,
  Election,
  electionKey,
  electionsFault,
  expeditedFrom,
  lastDayOf
} from "../../domain/compliance/Election.ts"
import { jurisdictionsOf } from "../../domain/compliance/RegimeBook.ts"
import { CalendarDate } from "../../domain/kernel/CalendarDate.ts"
import { Limits } from "../../domain/kernel/Limits.ts"
import { InvalidInput, LimitReached, NotFound } from "../../domain/kernel/Rejection.ts"
import { DisclosureStore } from "../../ports/compliance/DisclosureStore.ts"
import { ElectionStore } from "../../ports/compliance/ElectionStore.ts"
import { InstallationRegimes } from "../../ports/compliance/InstallationRegimes.ts"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import { body, operationsOf } from "../access/operation/Operation.ts"
import * as Row from "../access/operation/OperationRow.ts"
import { checkedService } from "../access/operation/ServiceChecks.ts"
import { Service } from "../kernel/service/Service.ts"
import { recountTime } from "./disclosure/RecountTime.ts"

/** An election as operators see it. */
export const ElectionRecord = Schema.Struct({
  ...Election.fields,
  expedited_from: CalendarDate,
  ends_on: CalendarDate,
  origin: Schema.Literals(["FILE", "ADDED"])
}).annotate({
  identifier: "ElectionRecord",
  meanings: {
    jurisdiction: "Where it is held, such as AU or AU-NSW.",
    name: "What it is called.",
    writ_on: "The day on which the writ is issued.",
    polling_on: "Polling day.",
    expedited_from: "The first day on whose gifts notice is due within the shortest time.",
    ends_on: "The last day on which it counts.",
    origin: "From the operator's FILE, or ADDED by a command."
  }
})
export type ElectionRecord = typeof ElectionRecord.Type

/** Which election is taken out. */
export const ElectionKey = Schema.Struct({
  jurisdiction: Election.fields.jurisdiction,
  writ_on: CalendarDate
}).annotate({
  identifier: "ElectionKey",
  meanings: { jurisdiction: "Where it is held.", writ_on: "The day on which its writ is issued." }
})
export type ElectionKey = typeof ElectionKey.Type

const operations = Row.table("elections", {
  list: Row.keeper(
    "List the elections by which notices are due sooner: those of the file of regimes, and those that were added",
    [],
    Schema.Array(ElectionRecord)
  ),
  add: Row.keeper(
    "Add an election, and have the open duties of every organisation recounted",
    [body(Election)],
    ElectionRecord
  ),
  remove: Row.keeper(
    "Take out an election that was added, for gifts that come from now on",
    [body(ElectionKey)],
    ElectionRecord
  )
})

const recordOf =
  (origin: ElectionRecord["origin"]) =>
  (election: Election): ElectionRecord => ({
    ...election,
    expedited_from: expeditedFrom(election),
    ends_on: lastDayOf(election),
    origin
  })

/** The elections of an installation, beside those of its file of regimes. For operators. law, section 2. */
export class Elections extends Service<Elections>()("almoner/app/Elections", function* () {
  const store = yield* ElectionStore
  const disclosures = yield* DisclosureStore
  const { elections: ofFile, regimes } = yield* InstallationRegimes
  const transaction = yield* Transaction

  /** By jurisdiction and the day of the writ. */
  const list = Effect.map(store.all, (added) =>
    [...ofFile.map(recordOf("FILE")), ...added.map(recordOf("ADDED"))].toSorted(byWrit)
  )

  /**
   * Adds an election. Open duties of gifts within it become due sooner, in the background, and none later. Fails with
   * {@link InvalidInput} for one that cannot be, or that shares days with another of its jurisdiction, and with
   * {@link LimitReached} where there are very many.
   */
  const add = Effect.fn("Elections.add")(function* (election: Election) {
    const { jurisdiction } = election
    const added = yield* store.allForUpdate
    const beside = [...ofFile, ...added].filter((each) => each.jurisdiction === jurisdiction)
    const known = jurisdictionsOf(regimes)
    const message = electionsFault([...beside, election], known)
    if (message !== null) {
      return yield* new InvalidInput({ param: known.has(jurisdiction) ? "writ_on" : "jurisdiction", message })
    }
    if (added.length >= Limits.elections) {
      return yield* new LimitReached({
        message: `At most ${Limits.elections} elections can be added. Take old ones out.`
      })
    }
    yield* store.add(election)
    yield* disclosures.requestRecounts(yield* recountTime)
    return recordOf("ADDED")(election)
  }, transaction.run)

  /**
   * Takes out an election that was added. Duties that it made due sooner stay so. Fails with {@link NotFound} where none was
   * added of this jurisdiction and day, and with {@link InvalidInput} for one of the file.
   */
  const remove = Effect.fn("Elections.remove")(function* (asked: ElectionKey) {
    const key = electionKey(asked)
    const found = (yield* store.allForUpdate).find((each) => electionKey(each) === key)
    if (found !== undefined) {
      yield* store.remove(found)
      return recordOf("ADDED")(found)
    }
    if (!ofFile.some((each) => electionKey(each) === key)) return yield* new NotFound({ record: "election", id: key })
    const message = "This election is in REGIMES_FILE. Take it out there, and start the server again."
    return yield* new InvalidInput({ param: "writ_on", message })
  }, transaction.run)

  return checkedService(operations, { list, add, remove })
}) {}

/** The operations of {@link Elections}. */
export const electionOperations = operationsOf(Elections, operations)
