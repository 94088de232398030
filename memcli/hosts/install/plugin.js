import { spawn } from "node:child_process"
import * as fs from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"

const PROGRAM = ["memcli"]
const VAULT = null

// Milliseconds that a session may wait for an answer; without one it goes on.
const WAIT = {
  "session-start": 8000, "prompt-submit": 4000, "pre-tool": 3000, "post-tool": 3000,
}
const MONTH = 30 * 24 * 3600 * 1000
const STATE = join(
  process.env.XDG_STATE_HOME || join(homedir(), ".local", "state"), "memcli", "opencode",
)
const ACTIONS = { bash: "run", edit: "edit", write: "edit", patch: "edit", apply_patch: "edit" }

// Nothing in here may disturb the host: what fails is as if it were not installed.
const quietly = (work) => async (...words) => {
  try { await work(...words) } catch { /* no memory this time */ }
}

const words = (event) => [
  ...PROGRAM.slice(1), "hook", event, "--host", "opencode", ...(VAULT ? ["--vault", VAULT] : []),
]

// Plain text, {"additionalContext": text}, or a refusal with its reason.
const answer = (out) => {
  const text = out.trim()
  if (!text.startsWith("{")) return text
  try {
    const said = JSON.parse(text)
    if (said.permissionDecision === "deny") return new Error(said.permissionDecisionReason)
    return String(said.additionalContext ?? "")
  } catch { return "" }
}

const ask = (event, payload, cwd) => new Promise((resolve) => {
  let out = ""
  const child = spawn(PROGRAM[0], words(event), {
    cwd, stdio: ["pipe", "pipe", "ignore"], windowsHide: true,
  })
  const timer = setTimeout(() => { child.kill("SIGKILL"); resolve("") }, WAIT[event])
  const end = (text) => { clearTimeout(timer); resolve(text) }
  child.on("error", () => end(""))
  child.on("close", (code) => end(code === 0 ? answer(out) : ""))
  child.stdin.on("error", () => {})
  child.stdout.setEncoding("utf8").on("data", (part) => { out += part })
  child.stdin.end(payload)
}).catch(() => "")

// Outlives the host, which may end right after a turn: its stdin is a file.
const tell = (event, payload, cwd, name) => {
  const path = join(STATE, `${name}.stdin`)
  fs.writeFileSync(path, payload, { mode: 0o600 })
  const input = fs.openSync(path, "r")
  try {
    const child = spawn(PROGRAM[0], words(event), {
      cwd, detached: true, stdio: [input, "ignore", "ignore"], windowsHide: true,
    })
    child.on("error", () => {})
    child.unref()
  } finally {
    fs.closeSync(input)
    try { fs.unlinkSync(path) } catch { /* Windows has it open; the next turn writes over it */ }
  }
}

// `opencode run` puts quotation marks around what was typed.
const typed = (text) => /^"[^"]*"$/.test(text) ? text.slice(1, -1) : text

class Session {
  constructor(id, cwd) {
    this.id = id
    this.cwd = cwd
    this.path = join(STATE, `${id}.jsonl`)
    this.lines = new Map() // not yet written, by id
    this.written = new Set()
    this.users = new Set() // ids of messages
    this.started = ask("session-start", this.payload("session-start"), cwd)
  }
  payload(event, more = {}) {
    return JSON.stringify({
      hook_event_name: event, session_id: this.id, cwd: this.cwd,
      transcript_path: this.path, ...more,
    })
  }
  note(id, line, time) {
    if (this.written.has(id)) return
    const at = new Date(time ?? Date.now()).toISOString()
    this.lines.set(id, { session: this.id, id, at, ...line })
  }
  tool(call, tool, input, text, failed) {
    const what = input?.command ?? input?.filePath ?? JSON.stringify(input ?? {})
    const action = ACTIONS[tool] ?? "other"
    this.note(`${call}:call`, { role: "call", call, tool, action, text: String(what) })
    this.note(`${call}:result`, { role: "result", call, text: String(text ?? ""), failed })
  }
  save() {
    fs.mkdirSync(STATE, { recursive: true, mode: 0o700 })
    const text = [...this.lines.values()].map((line) => JSON.stringify(line) + "\n").join("")
    fs.appendFileSync(this.path, text, { mode: 0o600 })
    for (const id of this.lines.keys()) this.written.add(id)
    this.lines.clear()
  }
  remove(id) {
    this.lines.delete(id)
    const lines = fs.readFileSync(this.path, "utf8").split("\n")
    const kept = lines.filter((line) => !line || JSON.parse(line).id !== id)
    fs.writeFileSync(`${this.path}.new`, kept.join("\n"), { mode: 0o600 })
    fs.renameSync(`${this.path}.new`, this.path)
  }
}

const sweep = () => {
  for (const name of fs.existsSync(STATE) ? fs.readdirSync(STATE) : []) {
    const path = join(STATE, name)
    if (Date.now() - fs.statSync(path).mtimeMs > MONTH) fs.unlinkSync(path)
  }
}

export const Memcli = async ({ directory, client }) => {
  const sessions = new Map()
  const agents = new Set() // sessions of sub-agents: nobody types there
  const commands = new Set() // sessions in which a slash command was called
  // `opencode run` forbids its sessions to ask: nobody is there to answer.
  const unattended = async (id) => {
    try {
      const { data } = await client.session.get({ path: { id } })
      return data.permission.some((one) => one.permission === "question" && one.action === "deny")
    } catch { return false }
  }
  const find = (id, cwd) => {
    if (!/^[\w-]{1,200}$/.test(id ?? "") || agents.has(id)) return undefined
    if (!sessions.has(id)) sessions.set(id, new Session(id, cwd || directory))
    return sessions.get(id)
  }
  const ended = (event, id) => {
    const session = sessions.get(id)
    if (!session) return
    session.save()
    tell(event, session.payload(event), session.cwd, id)
  }
  const part = (one) => {
    const session = sessions.get(one?.sessionID)
    if (!session || session.users.has(one.messageID)) return
    if (one.type === "text" && one.time?.end && !one.synthetic)
      session.note(one.id, { role: "assistant", text: one.text }, one.time.end)
    if (one.type === "tool" && one.state?.status === "error")
      session.tool(one.callID, one.tool, one.state.input, one.state.error, true)
  }
  const acted = async (event, input, args) => {
    try {
      const session = sessions.get(input?.sessionID)
      if (!session || !["run", "edit"].includes(ACTIONS[input.tool])) return ""
      const given = { tool_name: input.tool, tool_input: args ?? {} }
      return await ask(event, session.payload(event, given), session.cwd)
    } catch { return "" }
  }
  await quietly(sweep)()
  return {
    event: quietly(async ({ event }) => {
      const about = event?.properties ?? {}
      if (event?.type === "session.created") {
        if (about.info?.parentID) agents.add(about.info.id)
        else find(about.info?.id, about.info?.directory)
      }
      if (event?.type === "message.part.updated") part(about.part)
      if (event?.type === "session.idle") ended("stop", about.sessionID)
      // A person took it back.
      if (event?.type === "message.removed") sessions.get(about.sessionID)?.remove(about.messageID)
      if (event?.type === "session.deleted") sessions.delete(about.info?.id)
    }),
    // Its file writes the next message, and not the person.
    "command.execute.before": quietly(async (input) => { commands.add(input?.sessionID) }),
    "chat.message": quietly(async (input, output) => {
      const inserted = commands.delete(input?.sessionID)
      const session = find(input?.sessionID)
      if (!session) return
      const message = output.message
      const own = output.parts.filter((one) => one.type === "text" && !one.synthetic)
      const prompt = typed(own.map((one) => one.text).join("\n"))
      session.users.add(message.id)
      const line = { role: "user", text: prompt, program: await unattended(session.id) }
      if (!inserted) session.note(message.id, line, message.time?.created)
      // Now: a session that is killed has no end to write at.
      await quietly(() => session.save())()
      await session.started
      const payload = session.payload("prompt-submit", { prompt })
      const text = await ask("prompt-submit", payload, session.cwd)
      const last = output.parts.at(-1)
      // Sorts after the last part, as opencode's own ids do.
      if (text && last) output.parts.push({
        id: `${last.id}m`, sessionID: session.id, messageID: message.id,
        type: "text", text, synthetic: true,
      })
    }),
    // The one that may disturb the host: a person said that this tool must not run.
    "tool.execute.before": async (input, output) => {
      const refused = await acted("pre-tool", input, output?.args)
      if (refused instanceof Error) throw refused
    },
    "tool.execute.after": quietly(async (input, output) => {
      const exit = output?.metadata?.exit
      const failed = typeof exit === "number" ? exit !== 0 : undefined
      const session = sessions.get(input?.sessionID)
      session?.tool(input.callID, input.tool, input.args, output?.output, failed)
      const text = await acted("post-tool", input, input?.args)
      if (typeof text === "string" && text && typeof output?.output === "string")
        output.output += `\n\n${text}`
    }),
    "experimental.text.complete": quietly(async (input, output) => {
      const session = sessions.get(input?.sessionID)
      session?.note(input.partID, { role: "assistant", text: output.text })
    }),
    // The same text in each request of a session, so that the host's cache holds it.
    "experimental.chat.system.transform": quietly(async (input, output) => {
      const text = await sessions.get(input?.sessionID)?.started
      if (text) output.system.push(text)
    }),
    // What is compacted stays in our file, so nobody has to wait.
    "experimental.session.compacting": quietly(async (input) => {
      ended("pre-compact", input?.sessionID)
    }),
  }
}
