/** An operation as a Python program with `requests`. The key is in a variable of the environment. */
import type { ApiCall } from '../api/call.ts'
import { operations } from './operations.ts'
import { addressOf, givenQuery, methodOf } from './request.ts'

type Place = { apiUrl: string; idempotencyKey: string }

/** These responses are no JSON. */
const textOperations = ['GET /metrics', 'POST /users/export']

export function pythonOf(call: ApiCall, { apiUrl, idempotencyKey }: Place): string {
  const { operation, path, query, body, file, ifMatch, accept } = call
  const { needs, isRepeatable = false, isStream = false } = operations[operation]
  const method = methodOf(call)
  const params = Object.entries(givenQuery(query)).map(([name, value]) => [name, parameterText(value)])
  const variable = needs === 'user' ? 'ROLLBOOK_TOKEN' : 'ROLLBOOK_API_KEY'
  const headers: [string, string][] = []
  if (needs === 'user') headers.push(['Authorization', `f"Bearer {os.environ['${variable}']}"`])
  else if (needs !== 'public') headers.push(['X-API-Key', `os.environ["${variable}"]`])
  if (accept !== undefined) headers.push(['Accept', pythonLiteral(accept)])
  if (method === 'POST' && !isRepeatable) headers.push(['Idempotency-Key', pythonLiteral(idempotencyKey)])
  if (ifMatch !== undefined) headers.push(['If-Match', pythonLiteral(ifMatch)])
  if (file !== undefined) headers.push(['Content-Type', pythonLiteral(file.contentType)])
  const isLines = (isStream && accept === undefined) || accept === 'application/x-ndjson'
  const options = [
    pythonLiteral(addressOf({ operation, ...(path && { path }) }, apiUrl)),
    ...(params.length > 0 ? [`params=${pythonLiteral(Object.fromEntries(params), '    ')}`] : []),
    ...(headers.length > 0 ? [`headers=${entries(headers, '    ')}`] : []),
    ...(file !== undefined ? [`data=open(${pythonLiteral(file.name)}, "rb")`] : []),
    ...(file === undefined && body !== undefined ? [`json=${pythonLiteral(body, '    ')}`] : []),
    ...(isLines ? ['stream=True'] : []),
    'timeout=30',
  ]
  const isText = textOperations.includes(operation) || (accept !== undefined && !/json/.test(accept))
  return [
    ...(isLines ? ['import json'] : []),
    ...(needs === 'public' ? [] : ['import os']),
    ...(isLines || needs !== 'public' ? [''] : []),
    'import requests',
    '',
    `response = requests.${method.toLowerCase()}(`,
    ...options.map((option) => `    ${option},`),
    ')',
    'response.raise_for_status()',
    ...(isLines
      ? ['for line in response.iter_lines():', '    print(json.loads(line))']
      : [isText ? 'print(response.text)' : 'print(response.json())']),
  ].join('\n')
}

/** `requests` would write `True`, and the API takes `true`. */
function parameterText(value: unknown): unknown {
  return Array.isArray(value) ? value.map(String) : String(value)
}

/** Writes a value as Python does. */
export function pythonLiteral(value: unknown, indent = ''): string {
  if (value === null || value === undefined) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  // The escapes of JSON are escapes of Python too.
  if (typeof value !== 'object') return JSON.stringify(value)
  if (!Array.isArray(value)) {
    const members = Object.entries(value).filter(([, one]) => one !== undefined)
    return entries(
      members.map(([name, one]) => [name, pythonLiteral(one, `${indent}    `)]),
      indent,
    )
  }
  return bracketed(
    '[]',
    value.map((one) => pythonLiteral(one, `${indent}    `)),
    indent,
  )
}

/** A dictionary of values that are already written. */
function entries(members: readonly (readonly [string, string])[], indent: string): string {
  return bracketed(
    '{}',
    members.map(([name, text]) => `${JSON.stringify(name)}: ${text}`),
    indent,
  )
}

function bracketed([open = '', close = '']: string, parts: readonly string[], indent: string): string {
  const line = `${open}${parts.join(', ')}${close}`
  if (line.length + indent.length <= 60 && !line.includes('\n')) return line
  return `${open}\n${parts.map((part) => `${indent}    ${part},\n`).join('')}${indent}${close}`
}
