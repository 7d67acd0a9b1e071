/** Writes what the console's API panel knows of each operation from the service, so that the two cannot differ. */
import type { Access } from '../src/core/permissions.ts'
import { type OpenApiDocument, pathsOfClients } from '../src/http/endpoint/openapi.ts'
import { openApiDocument } from './openapi-document.ts'

type Parameter = { name: string; in: string }
type Described = {
  operationId: string
  parameters?: Parameter[]
  requestBody?: { content: Record<string, unknown> }
  responses: Record<string, { content?: Record<string, unknown> }>
}

export async function consoleOperations(): Promise<string> {
  const { document, access } = await openApiDocument()
  return writeConsoleOperations(document, access)
}

function writeConsoleOperations(document: OpenApiDocument, access: ReadonlyMap<string, Access>): string {
  const entries = Object.entries(pathsOfClients(document)).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const described = operation as unknown as Described
      const facts = {
        id: described.operationId,
        needs: access.get(described.operationId),
        ...factsOf(method, described),
      }
      return `${JSON.stringify(`${method.toUpperCase()} ${path}`)}: ${JSON.stringify(facts)},`
    }),
  )
  return `// Made from the OpenAPI document by \`npm run generate\`; change the routes of the service instead.
import type { OperationName } from '../api/call.ts'

export type OperationFacts = {
  /** The operationId, which is the anchor on the docs page. */
  id: string
  /** A permission; \`user\`: a signed-in user, no key; \`any\`: any credential. */
  needs: 'public' | 'any' | 'user' | \`\${string}:\${string}\`
  /** Its arguments in the SDK's order: path members, \`body\`, \`query\`. */
  takes: readonly string[]
  /** Answers line by line, always. */
  isStream?: true
  /** A POST that takes no Idempotency-Key. */
  isRepeatable?: true
}

export const operations: Record<OperationName, OperationFacts> = {
${entries.join('\n')}
}
`
}

function factsOf(method: string, { parameters = [], requestBody, responses }: Described) {
  const takesQuery = method === 'get' && parameters.some((parameter) => parameter.in === 'query')
  const takesKey = parameters.some(({ name }) => name === 'Idempotency-Key')
  const answers = Object.entries(responses)
    .filter(([status]) => Number(status) < 300)
    .flatMap(([, { content = {} }]) => Object.keys(content))
  return {
    takes: [
      ...parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name),
      ...(requestBody !== undefined && 'application/json' in requestBody.content ? ['body'] : []),
      ...(takesQuery ? ['query'] : []),
    ],
    ...(answers.length > 0 && answers.every((type) => type === 'application/x-ndjson') && { isStream: true }),
    ...(method === 'post' && !takesKey && { isRepeatable: true }),
  }
}
