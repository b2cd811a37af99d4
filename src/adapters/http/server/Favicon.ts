import { Buffer } from "node:buffer"
import { bytesOf } from "../pipeline/Answers.ts"
import type { Document } from "./Documents.ts"

const svg =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0a5a4b"/><path d="M16 26C6 19 6 13 6 12a5 5 0 0 1 10-1 5 5 0 0 1 10 1c0 1 0 7-10 14z" fill="#fff"/></svg>'

/** The same icon, 32 by 32 pixels, for programs that ask for `/favicon.ico` by themselves. */
const ico = [
  "AAABAAEAICAAAAEAIAB3AwAAFgAAAIlQTkcNChoKAAAADUlIRFIAAAAgAAAAIAgGAAAAc3p69AAAAyxJREFUeJzEl1tIFFEYx/9ndnLb",
  "za52wYqiMEHCtAyzwLCHErWHrkaGJhm9ZFF0QQLxUi95oUCJjG4UhmCFQaBBmJlrpg9t3lIzM628lW2m7mq7c5qzuFI6s+voqj/YnXPm",
  "++Z8/znnzMz38fiXXUHztJpZp0FogNjzBchiOAXaKf7pQUlZv7HvCvKKDDYLsTXUh0JCOIG7SQiWYhKhFN8ETjg6kJ2fPyxAHREWrAIK",
  "MIVYiBDKRBBEhM3XgtaIWtwxhbCZMJrN3pyG4vBUB2ewpdbwfBQ3tOGmBzE2Lx7sClBxHDat8cJmTy8Mms2o/NyEl7WVo8cSb2mrlzfW",
  "rVwNF56Hrr4G5R/qIVDB3vABPAFZKWddsXAxnsQlw9N9+X/n6762IuZaGvTNH6399as8cOf4OaxxXzbKb3dKAlq+d0qOz2ITbUQYlTK6",
  "uc6BPj0LC1xnS17cbviJwPhT4AiHkktXsWjOXEm/7t7f8DlzzHqUQjXD2zNRypAQHomgtT6Qw3Wmxro8bNoDxZ8cGhc1ONGvsOqtpJ2T",
  "u3Cnn+O9ud3HDzt8Nzr0C93gL2vj5QzL3RbCESP3hhzu89ygWAClcBq8Snai5Zeg3dANZ9H6owuKBZSKz7GzKHlfDcUCckuL4SxydC+g",
  "WECBvgLNne2YKFUtn6Crq1EugBGfcxcT5fz9G3btdgU8flOCopp3GC8PXxejuLYK4xbAiM5MQWePAUpp6mjDiVuZDv0cCujq+YXw9Iuw",
  "CALGSv/AAPamJqHH2O/Q16EARkVjPaIyLo9JhOnPIPalJaGh7QvGwpgEMPLKdVYR9r7vLPielETJfGHCAmwiojNTrYnJSHpNRuxPS1YU",
  "XLEAxqOyV9hy4aR1k9mobm2Gf1wsCqv1UArRHgxrF1OTJVCIVq1GRkws+kwmnL2XJTkrDqHoYBkRqweCMT084ygrmaYJFpujguW62Fb+",
  "ppk4BhabM+UUNFOBHMGUQ6NZbBVrmqsb6rh1HuWEkm1iej8bk8hQcXrA9CD/KeurbAZLVWOj2WPZ7Rm8y6BYsQyIp0QhZBacgrU814nl",
  "ebbR2BdpyX0+nKH8BQAA//+oZCtAAAAABklEQVQDAB8ZJmVT6aKrAAAAAElFTkSuQmCC"
].join("")

/** The service's icon, by path. */
export const favicon: ReadonlyArray<readonly [path: string, document: Document]> = [
  ["/favicon.svg", { contentType: "image/svg+xml", body: bytesOf(svg) }],
  ["/favicon.ico", { contentType: "image/x-icon", body: Buffer.from(ico, "base64") }]
]
