import { anywhere, only, server, suite } from "./Stops.ts"

suite("PostgreSQL", server, only(anywhere, ["idle"]))
