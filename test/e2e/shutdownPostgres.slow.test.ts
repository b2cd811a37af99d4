import { anywhere, besideAServer, only, server, suite } from "./Stops.ts"

suite("PostgreSQL", server, {
  ...only(anywhere, [
    "with gifts under way",
    "while a receiver does not answer",
    "while a receiver does not answer, and asked again",
    "with connections that are kept, or say nothing"
  ]),
  ...besideAServer
})
