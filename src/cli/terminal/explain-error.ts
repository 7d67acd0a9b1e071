import { isAbsolute } from 'node:path'
import { AppError, OperatorError } from '../../core/errors.ts'
import {
  isConnectionLost,
  isMisconfigured,
  storageRefusal as postgresRefusal,
} from '../../store/db/postgres/failures.ts'
import { storageRefusal as sqliteRefusal } from '../../store/db/sqlite/failures.ts'
import { visible } from './visible-text.ts'

type Refused = Error & {
  code: string
  status: number
  /** Of a refusal by a server; the message then has the faults too. */
  detail?: string
  errors?: readonly { pointer: string; detail: string }[]
  requestId?: string
}

/**
 * What went wrong, for the operator. What the system refuses (a port in use, a directory of somebody else) explains
 * itself, and so does what a database or the API refuses; a fault of ours needs its stack.
 */
export function explanationOf(error: unknown): string {
  // From another thread an error arrives with its name alone.
  const { name, syscall, message, stack } = error as NodeJS.ErrnoException
  if (error instanceof OperatorError || name === 'OperatorError') return message
  if (syscall !== undefined) return explanationOfSystem(error as NodeJS.ErrnoException)
  if (error instanceof AppError || name === 'RollbookError') return explanationOfRefusal(error as Refused)
  if (name === 'UnexpectedAnswerError') return visible(message)
  if (name === 'ConnectionError' || name === 'IncompleteStreamError') return explanationOfConnection(error as Error)
  return isRefusalOfDatabase(error) ? `The database says: ${message}.` : (stack ?? String(error))
}

/** What the system says of a file, with what can be done about it. */
function explanationOfSystem({ code = '', path, message }: NodeJS.ErrnoException): string {
  const said = ofDisks[code] ?? (path === undefined ? undefined : ofFiles[code])
  return said === undefined ? message : visible(said(path ?? 'The file'))
}

/** A write that fails has no path. */
const ofDisks: Record<string, (path: string) => string> = {
  EROFS: (path) => `${path} is on a file system that is mounted read-only. Mount it writable, or name another place.`,
  ENOSPC: (path) => `${path} does not fit: the disk is full. Make room, or name a place on another disk.`,
  EDQUOT: (path) => `${path} does not fit: the disk quota is used up. Make room, or name another place.`,
  EIO: (path) => `${path} cannot be read or written: the disk reports a fault. Check the disk and the system log.`,
}

const ofFiles: Record<string, (path: string) => string> = {
  ENOENT: (path) =>
    `There is no file ${path}${isAbsolute(path) ? '' : ` in ${process.cwd()}`}. Check its name and the folder.`,
  ENOTDIR: (path) => `${path} cannot exist: a part of this path is a file, not a folder. Check the path.`,
  EISDIR: (path) => `${path} is a folder, and a file is needed. Name a file in it.`,
  EACCES: (path) => `The system denies access to ${path}. Check who owns it and its mode (ls -l).`,
  EPERM: (path) => `The system does not permit this with ${path}. Check who owns it and its mode (ls -l).`,
  EEXIST: (path) => `${path} exists already. Choose another name, or move it away.`,
}

/** The words are those of a server, which may be any: they must not reach the terminal's controls. */
function explanationOfRefusal({
  message,
  detail: text = message,
  code,
  errors = [],
  status,
  requestId,
}: Refused): string {
  const lines = [`${text} (${code})`]
  for (const { pointer, detail } of errors) {
    // What is unknown stands in quotes in the text already.
    const name = pointer.replace(/^[#?]\/?/, '')
    if (!text.includes(detail) && !(name !== '' && text.includes(`"${name}"`))) lines.push(`  ${pointer}: ${detail}`)
  }
  if (status === 401) lines.push('rollbook help authentication says how the command line finds its key.')
  if (status >= 500 && requestId !== undefined) lines.push(`The server's log has it as the request ${requestId}.`)
  return lines.map(visible).join('\n')
}

/** With the reason that the system gives, which is in the innermost cause. */
function explanationOfConnection(error: Error): string {
  let reason: unknown = error.cause
  while (reason instanceof Error && reason.cause instanceof Error) reason = reason.cause
  const { code, message } = (reason ?? {}) as NodeJS.ErrnoException
  const why = reason instanceof Error ? message || code : undefined
  const said = why === undefined || error.message.includes(why) ? error.message : `${error.message} (${why})`
  if (code !== 'ECONNREFUSED') return visible(said)
  return `${visible(said)}\nNothing listens there. Start the server, or name its address with --url, or its port with ROLLBOOK_PORT.`
}

function isRefusalOfDatabase(error: unknown): boolean {
  if (isConnectionLost(error) || isMisconfigured(error)) return true
  return (postgresRefusal(error) ?? sqliteRefusal(error)) !== undefined
}
