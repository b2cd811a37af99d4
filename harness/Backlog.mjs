/** Pending deliveries in the service's own table, made of those that an organisation's endpoints have had. */
import { countedId } from "./CountedId.mjs"

/** `$3` for each of `$4` endpoints, all due for two hours; their ids count up from `$2`. */
const fill = `
  insert into pending_deliveries (organisation_id, id, endpoint_id, event_id, event_type, attempt_count,
    next_attempt_at, created_at, updated_at)
  select organisation_id, ${countedId("id")}, endpoint_id, event_id, event_type, 0,
    created_at - interval '2 hours' + n * interval '1 millisecond', created_at, updated_at
  from (
    select f.*, $2::int + g * $4::int + f.turn - 1 as n
    from (
      select distinct on (endpoint_id) *, (dense_rank() over (order by endpoint_id))::int as turn
      from finished_deliveries where organisation_id = $1 order by endpoint_id, id
    ) f, generate_series(0, $3::int - 1) g
  ) f`

/**
 * Adds `count` pending deliveries to an organisation, to each of its `endpoints` as many. `from` is how many were added
 * before; `query(text, values)` asks the database.
 */
export async function addBacklog(query, { count, endpoints, from = 0, organisationId }) {
  await query(fill, [organisationId, from, Math.floor(count / endpoints), endpoints])
}
