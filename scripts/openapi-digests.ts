/** A digest of each operation and schema of openapi.json: a change of the API's document shows as a line of the commit. */
import { createHash } from 'node:crypto'
import type { OpenApiDocument } from '../src/http/endpoint/openapi.ts'
import { openApiDocument } from './openapi-document.ts'

export async function openApiDigests(): Promise<string> {
  return digestsOf((await openApiDocument()).document)
}

/** Digests of the JSON as it is sent, so the order of members counts as well. */
export function digestsOf({ paths, components }: OpenApiDocument): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => line(`${method.toUpperCase()} ${path}`, operation)),
  )
  const parts = Object.entries(components).flatMap(([kind, members]) =>
    Object.entries(members).map(([name, member]) => line(`${kind}/${name}`, member)),
  )
  return `${[...operations, ...parts].join('\n')}\n`
}

function line(name: string, part: unknown): string {
  return `${createHash('sha256').update(JSON.stringify(part)).digest('hex').slice(0, 16)} ${name}`
}
