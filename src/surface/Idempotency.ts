export { IdempotencyConflict } from "../domain/access/Idempotency.ts"
