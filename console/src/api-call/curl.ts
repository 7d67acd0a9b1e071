/** An operation as a curl command to paste. The key is in a variable. */
import type { ApiCall } from '../api/call.ts'
import { operations } from './operations.ts'
import { addressOf, methodOf } from './request.ts'
import { shellLine, shellWord } from './shell.ts'

type Place = { apiUrl: string; idempotencyKey: string }

export function curlOf(call: ApiCall, { apiUrl, idempotencyKey }: Place): string {
  const { accept, body, file, ifMatch } = call
  const { needs, isRepeatable = false } = operations[call.operation]
  const method = methodOf(call)
  const address = shellWord(addressOf(call, apiUrl))
  const parts = [method === 'GET' ? address : `-X ${method} ${address}`]
  const header = (name: string, value: string) => parts.push(`-H ${shellWord(`${name}: ${value}`)}`)
  // In double quotes, so that the shell inserts the value.
  if (needs === 'user') parts.push('-H "Authorization: Bearer $ROLLBOOK_TOKEN"')
  else if (needs !== 'public') parts.push('-H "X-API-Key: $ROLLBOOK_API_KEY"')
  if (accept !== undefined) header('Accept', accept)
  if (method === 'POST' && !isRepeatable) header('Idempotency-Key', idempotencyKey)
  if (ifMatch !== undefined) header('If-Match', ifMatch)
  if (file !== undefined) {
    header('Content-Type', file.contentType)
    parts.push(`--data-binary ${shellWord(`@${file.name === '-' ? './-' : file.name}`)}`)
  } else if (body !== undefined) {
    header('Content-Type', 'application/json')
    parts.push(`-d ${shellWord(JSON.stringify(body))}`)
  }
  // Without -g, curl reads brackets in a URL as a pattern.
  const [first = '', ...rest] = parts
  return shellLine(`${apiUrl.includes('[') ? 'curl -sSg' : 'curl -sS'} ${first}`, rest)
}
