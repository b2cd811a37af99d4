import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { CheckoutLink, ranOut } from "../../../domain/giving/CheckoutLink.ts"
import type { CheckoutLinkId } from "../../../domain/kernel/Ids.ts"
import * as Rule from "../../../domain/kernel/Rule.ts"
import { CheckoutLinkStore } from "../../../ports/giving/CheckoutLinkStore.ts"
import { readBeside } from "../connection/DeferredTransaction.ts"
import { expirable } from "../records/ExpirableRecords.ts"
import { makeRecords } from "../records/Records.ts"
import { rowsOf } from "../records/Rows.ts"
import { ruleOf } from "../records/Rules.ts"
import { bookedUnder } from "./BookedUnder.ts"
import { makeDonorReferences } from "./DonorReferences.ts"

const rows = rowsOf(CheckoutLink, bookedUnder)
const table = "checkout_links"

export const layer: Layer.Layer<CheckoutLinkStore, never, SqlClient.SqlClient> = Layer.effect(
  CheckoutLinkStore,
  Effect.map(SqlClient.SqlClient, (sql) =>
    CheckoutLinkStore.of({
      ...makeRecords<CheckoutLink, CheckoutLinkId>(sql, { rows, table, archivable: true }),
      ...makeDonorReferences(sql, table),
      find: (organisation_id, id) =>
        rows.first(
          readBeside(sql`
            SELECT ${sql.literal(rows.columns("t"))} FROM checkout_links AS t
            WHERE t.organisation_id = ${organisation_id} AND t.id = ${id}`)
        ),
      expirable: (now, limit, except, only) =>
        Effect.orDie(
          expirable(sql, {
            table: "checkout_links",
            ranOut: ruleOf(sql, Rule.at(ranOut, now), "t"),
            limit,
            except,
            only
          })
        )
    })
  )
)
