/**
 * A name server on loopback for names of the domain `test`, all of which are this machine. It can stop answering for those
 * below `hangs.test`. A resolver that reads /etc/resolv.conf finds it on port 53 only, and that file is the whole
 * machine's: both need root, and a mount namespace in which the file is another one.
 */
import { execFileSync } from "node:child_process"
import { createSocket } from "node:dgram"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const address = "127.0.0.153"
const port = 53

/** Why processes cannot be given a name server of their own here; null when they can. */
export function whyNoNames() {
  try {
    execFileSync("unshare", ["-m", "true"], { stdio: "ignore" })
  } catch {
    return "needs root and Linux, to give processes a name server of their own"
  }
  return null
}

/** The question's name and where the question ends. */
function questionOf(query) {
  const labels = []
  let at = 12
  for (let length = query[at]; length > 0; length = query[at]) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length))
    at += length + 1
  }
  return { name: labels.join(".").toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 }
}

const loopback = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4, 127, 0, 0, 1])

/** 127.0.0.1 to a question for an IPv4 address, and nothing of other types. */
function answerTo(query, { end, type }) {
  const isAddress = type === 1
  const head = Buffer.alloc(12)
  query.copy(head, 0, 0, 2)
  head.writeUInt16BE(0x8580, 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt16BE(isAddress ? 1 : 0, 6)
  return Buffer.concat([head, query.subarray(12, end), ...(isAddress ? [loopback] : [])])
}

export async function openNameServer() {
  let isHanging = false
  const socket = createSocket("udp4")
  socket.on("message", (query, from) => {
    const question = questionOf(query)
    if (isHanging && question.name.endsWith(".hangs.test")) return
    socket.send(answerTo(query, question), from.port, from.address)
  })
  await new Promise((resolve, reject) => {
    socket.once("error", reject)
    socket.bind(port, address, resolve)
  })
  const folder = mkdtempSync(join(tmpdir(), "almoner-chaos-names-"))
  const file = join(folder, "resolv.conf")
  writeFileSync(file, `nameserver ${address}\n`)
  return {
    hang() {
      isHanging = true
    },
    /** Puts around a command that it asks this server. */
    wrap: (command) => [
      "unshare",
      "-m",
      "sh",
      "-c",
      'mount --bind "$0" /etc/resolv.conf && exec "$@"',
      file,
      ...command
    ],
    close() {
      socket.close()
      rmSync(folder, { recursive: true, force: true })
    }
  }
}
