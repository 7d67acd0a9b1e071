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
  /** Only for refusals of a server, whose message also contains the faults. */
  detail?: string
  errors?: readonly { pointer: string; detail: string }[]
  requestId?: string
}

/**
 * Returns an explanation of an error for the operator. Errors of the system, a database or the API explain themselves;
 * an unexpected error needs its stack.
 */
export function explanationOf(error: unknown): string {
  // An error from another thread keeps its name but not its class.
  const { name, syscall, message, stack } = error as NodeJS.ErrnoException
  if (error instanceof OperatorError || name === 'OperatorError') return message
  if (syscall !== undefined) return explanationOfSystem(error as NodeJS.ErrnoException)
  if (error instanceof AppError || name === 'RollbookError') return explanationOfRefusal(error as Refused)
  if (name === 'UnexpectedAnswerError') return visible(message)
  if (name === 'ConnectionError' || name === 'IncompleteStreamError') return explanationOfConnection(error as Error)
  return isRefusalOfDatabase(error) ? `The database reports: ${message}.` : (stack ?? String(error))
}

/** Explains an error of the system with what to do about it. */
function explanationOfSystem({ code = '', path, message }: NodeJS.ErrnoException): string {
  const said = ofDisks[code] ?? (path === undefined ? undefined : ofFiles[code])
  return said === undefined ? message : visible(said(path ?? 'The file'))
}

/** By error code. Failed writes have no path. */
const ofDisks: Record<string, (path: string) => string> = {
  EROFS: (path) => `${path} is on a file system that is mounted read-only. Mount it writable, or choose another place.`,
  ENOSPC: (path) => `${path} cannot be written: the disk is full. Free some space, or choose another disk.`,
  EDQUOT: (path) => `${path} cannot be written: the disk quota is used up. Free some space, or choose another disk.`,
  EIO: (path) => `${path} cannot be read or written: the disk reports an error. Check the disk and the system log.`,
}

const ofFiles: Record<string, (path: string) => string> = {
  ENOENT: (path) =>
    `There is no file ${path}${isAbsolute(path) ? '' : ` in ${process.cwd()}`}. Check the name and the folder.`,
  ENOTDIR: (path) => `${path} cannot exist: a part of this path is a file, not a folder. Check the path.`,
  EISDIR: (path) => `${path} is a folder, but a file is needed. Give the name of a file.`,
  EACCES: (path) => `The system denies access to ${path}. Check its owner and mode (ls -l).`,
  EPERM: (path) => `The system does not permit this operation on ${path}. Check its owner and mode (ls -l).`,
  EEXIST: (path) => `${path} already exists. Choose another name, or move the file away.`,
}

/** What to do next, where the text of the server cannot know it: by the code of the refusal. */
const hints: Record<string, string | undefined> = {
  credential_invalid: 'rollbook help authentication explains how the command line finds its key.',
  permission_denied:
    'rollbook whoami shows what your key may do. Use another key, or have one created with this permission.',
  not_found:
    'The address of the server must end with its base path, such as https://example.com/auth. If it does, the server is older than this command.',
  not_enabled: 'Whoever runs the service can change the setting (docs/configuration.md), then restart it.',
  username_taken: 'Choose another username, or change the user that has this one: rollbook users get shows it.',
  email_taken: 'Choose another address, or change the user that has this one: rollbook users get shows it.',
}

/** Explains a refusal. Its text comes from a server that may be hostile, so it must not control the terminal. */
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
    // The text quotes the names of unknown members.
    const name = pointer.replace(/^[#?]\/?/, '')
    if (!text.includes(detail) && !(name !== '' && text.includes(`"${name}"`))) lines.push(`  ${pointer}: ${detail}`)
  }
  const hint = hints[code] ?? (status === 401 ? hints.credential_invalid : undefined)
  if (hint !== undefined) lines.push(hint)
  if (status >= 500 && requestId !== undefined) lines.push(`The server logs this as request ${requestId}.`)
  return lines.map(visible).join('\n')
}

/** Adds the reason from the system, which is in the innermost cause. */
function explanationOfConnection(error: Error): string {
  let reason: unknown = error.cause
  while (reason instanceof Error && reason.cause instanceof Error) reason = reason.cause
  const { code, message } = (reason ?? {}) as NodeJS.ErrnoException
  const why = reason instanceof Error ? message || code : undefined
  const said = why === undefined || error.message.includes(why) ? error.message : `${error.message} (${why})`
  return `${visible(said)}\n${connectionHint(code)}`
}

function connectionHint(code = ''): string {
  if (code === 'ECONNREFUSED')
    return 'Nothing listens at this address. Start the server, or give its address with --url or its port with ROLLBOOK_PORT.'
  if (code === 'ENOTFOUND') return 'No host has this name. Check the address: --url, ROLLBOOK_URL or the profile.'
  if (code === 'CERT_HAS_EXPIRED') return 'The certificate of the server has expired. Renew it.'
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return 'Use a host name for which the certificate of the server is valid.'
  if (/SELF_SIGNED|UNABLE_TO_/.test(code))
    return 'The certificate of the server is not from an authority that this system trusts. Put that of its authority into a file, and set NODE_EXTRA_CA_CERTS to its name.'
  return 'Check the address (--url, ROLLBOOK_URL or the profile) and whether the server runs, then try again.'
}

function isRefusalOfDatabase(error: unknown): boolean {
  if (isConnectionLost(error) || isMisconfigured(error)) return true
  return (postgresRefusal(error) ?? sqliteRefusal(error)) !== undefined
}
