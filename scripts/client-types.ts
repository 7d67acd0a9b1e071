/**
 * Writes `src/sdk/client/types.ts` from the OpenAPI document, so that the client and the service cannot mean different things.
 * A writer of our own: it knows the JSON Schema that our documents have, and throws where it meets something else.
 */
import { type OpenApiDocument, pathsOfClients } from '../src/http/endpoint/openapi.ts'
import { openApiDocument } from './openapi-document.ts'

type Schema = {
  $ref?: string
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  description?: string
}
type Content = Record<string, { schema?: Schema }>
type Parameter = { name: string; in: string; required?: boolean; description?: string; schema: Schema }
type Operation = {
  operationId: string
  parameters?: Parameter[]
  requestBody?: { content: Content; required?: boolean }
  responses: Record<string, { content?: Content }>
}

/** Parameters that several operations share, each taken from one of them: all in that place, or those that are listed. */
const groups: Record<string, { of: string; in: 'path' | 'query'; only?: readonly string[]; description: string }> = {
  UserPath: { of: 'GET /users/{user_id}', in: 'path', description: 'The path of one user.' },
  GroupPath: { of: 'GET /groups/{group_id}', in: 'path', description: 'The path of one group.' },
  AttributePath: { of: 'GET /attributes/{name}', in: 'path', description: 'The path of one attribute.' },
  MembershipPath: {
    of: 'PUT /groups/{group_id}/members/{user_id}',
    in: 'path',
    description: 'The path of one member of a group.',
  },
  ConnectionPath: {
    of: 'GET /provisioning/{connection_id}',
    in: 'path',
    description: 'The path of one provisioning connection.',
  },
  SessionPath: { of: 'DELETE /sessions/{session_id}', in: 'path', description: 'The path of one session.' },
  FactorPath: { of: 'PATCH /me/factors/{factor_id}', in: 'path', description: 'The path of one factor.' },
  ImportPath: { of: 'GET /imports/{job_id}', in: 'path', description: 'The path of one import.' },
  KeyPath: { of: 'DELETE /keys/{key_id}', in: 'path', description: 'The path of one API key.' },
  EndpointPath: { of: 'GET /webhooks/{endpoint_id}', in: 'path', description: 'The path of one webhook endpoint.' },
  AccessRequestPath: {
    of: 'GET /access-requests/{request_id}',
    in: 'path',
    description: 'The path of one request for access.',
  },
  MailPath: { of: 'GET /mails/{mail_id}', in: 'path', description: 'The path of one message.' },
  DeliveryPath: {
    of: 'GET /webhooks/{endpoint_id}/deliveries/{delivery_id}',
    in: 'path',
    description: 'The path of one webhook delivery.',
  },
  DryRun: { of: 'POST /users', in: 'query', description: 'The query of operations that can be tried first.' },
  UserConditions: {
    of: 'POST /users/export',
    in: 'query',
    only: [
      ...['q', 'role', 'group', 'active', 'has_password', 'has_signed_in', 'created_after', 'created_before'],
      ...['last_login_after', 'last_login_before', 'inactive_since', 'expires_after', 'expires_before', 'state'],
      ...['username', 'email', 'external_id'],
    ],
    description: 'Conditions on users. All must hold.',
  },
  AuditQuery: {
    of: 'GET /users/{user_id}/audit',
    in: 'query',
    description: 'Which audit records to list, and in which order.',
  },
}

/** Values that several members have, each taken from one member of a schema. */
const values: Record<string, { of: readonly [schema: string, member: string]; description: string }> = {
  LinkedBy: { of: ['Identity', 'linked_by'], description: 'How an identity was linked.' },
  EventType: {
    of: ['CreateWebhookEndpoint', 'event_types'],
    description: 'A type of event, or all types of a subject: `user.*`.',
  },
  ImportMatch: { of: ['ImportJob', 'match'], description: 'The member by which an import finds existing users.' },
  ImportVerdict: { of: ['ImportedRow', 'verdict'], description: 'What an import did with a row.' },
  AttributeType: { of: ['Attribute', 'type'], description: 'What the values of a custom attribute are.' },
  AttributeEditor: { of: ['Attribute', 'editable_by'], description: 'Who may write a custom attribute.' },
  ActorKind: { of: ['AuditRecord', 'actor'], description: 'What kind of caller acted.' },
  AuditOutcome: { of: ['AuditRecord', 'outcome'], description: 'How an action ended.' },
  ProvisioningProfile: {
    of: ['ProvisioningConnection', 'profile'],
    description: 'The habits of an identity provider, which a connection accepts.',
  },
  EndDateAttribute: {
    of: ['ProvisioningConnection', 'end_date_attribute'],
    description: 'The SCIM attribute with the end date of a user; null: none.',
  },
  ConnectionKind: {
    of: ['SignInConnection', 'kind'],
    description: 'The protocol of a connection through which users sign in.',
  },
  SignInPreset: {
    of: ['SignInConnection', 'preset'],
    description: 'The kind of identity provider behind a sign-in connection.',
  },
  PasswordRule: {
    of: ['SignInConnection', 'passwords'],
    description: 'Whose passwords a sign-in connection refuses.',
  },
  UserInfoReading: {
    of: ['SignInConnection', 'read_userinfo'],
    description: 'When the UserInfo endpoint of a provider is read.',
  },
  ClientSecretMethod: {
    of: ['SignInConnection', 'token_endpoint_auth_method'],
    description: 'How the client secret of a connection is sent.',
  },
  DirectoryGroups: {
    of: ['SignInConnection', 'group_source'],
    description: 'How the groups of a user are found in a directory.',
  },
  SignInNote: { of: ['SignInClaim', 'notes'], description: 'What a claim means for a sign-in, as a code.' },
  DeploymentWarning: { of: ['Deployment', 'warnings'], description: 'A probable mistake in a deployment, as a code.' },
  SignInOutcome: { of: ['SignInTrial', 'outcome'], description: 'How a sign-in through a connection ends.' },
  MailKind: { of: ['Mail', 'kind'], description: 'What a message is about.' },
  MailStatus: { of: ['Mail', 'status'], description: 'The state of a message.' },
  SetupFeature: { of: ['OrganizationSetupLink', 'features'], description: 'What a setup link is for.' },
  SetupLinkState: { of: ['OrganizationSetupLink', 'state'], description: 'Whether a setup link works.' },
  AccessRequestState: { of: ['AccessRequest', 'state'], description: 'The state of a request for access.' },
  ReviewRowState: { of: ['ReviewRow', 'state'], description: 'The state of a row of an access review.' },
  DeliveryStatus: { of: ['WebhookDelivery', 'status'], description: 'The state of a webhook delivery.' },
}

/** Objects with fewer members are repeated rather than named. */
const fewestSharedMembers = 4

type Named = { name: string; members: readonly string[] }

export async function clientTypes(): Promise<string> {
  const { document } = await openApiDocument()
  return writeClientTypes(document)
}

export function writeClientTypes(document: OpenApiDocument): string {
  const { Problem, ...schemas } = document.components.schemas as Record<string, Schema>
  const codes = Problem?.properties?.code?.enum
  if (codes === undefined) throw new Error('The document has no list of problem codes.')
  const operations = Object.entries(pathsOfClients(document)).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      ...(operation as unknown as Operation),
    })),
  )
  const writer = typeWriter()
  const types: string[] = []
  const declare = (name: string, description: string | undefined, type: string) => {
    types.push(`${comment(description)}${declaration(name, type)}\n`)
  }
  declare('ProblemCode', 'The codes of all problems; docs/problems.md explains each.', literals(codes))
  for (const [name, { of, description }] of Object.entries(values)) {
    const [schema, member] = of
    declare(name, description, writer.nameValues(name, schemas[schema]?.properties?.[member]))
  }
  for (const [name, { of, in: place, only, description }] of Object.entries(groups)) {
    const found = parametersIn(place, operations.find((one) => one.name === of)?.parameters)
    const shared = found.filter((parameter) => only?.includes(parameter.name) ?? true)
    declare(name, description, writer.nameObject(name, objectOf(shared)))
  }
  // Before all others, so that no smaller object takes members from what a resource shares with its creation.
  const derived = new Map<string, string>()
  for (const [name, schema] of Object.entries(schemas)) {
    const resource = /^Create(\w+)$/.exec(name)?.[1]
    if (resource === undefined || schema.properties === undefined) continue
    for (const variant of [resource, `Update${resource}`]) {
      const text = schemas[variant] && writer.fromCreation(variant, schemas[variant], { name, schema })
      if (text !== undefined) derived.set(variant, text)
    }
  }
  // Smaller objects first: a larger one is written as a smaller one and what it adds.
  const shared = Object.entries(schemas).filter(([, schema]) => sizeOf(schema) >= fewestSharedMembers)
  const bySize = shared.sort(([, a], [, b]) => sizeOf(a) - sizeOf(b))
  const objects = new Map(bySize.map(([name, schema]) => [name, writer.nameObject(name, schema)]))
  for (const [name, schema] of Object.entries(schemas)) {
    declare(name, schema.description, derived.get(name) ?? objects.get(name) ?? writer.write(schema))
  }
  const listed = operations.map((operation) => writeOperation(operation, writer.write))
  const text = `// Made from the OpenAPI document by \`npm run generate\`; change the schemas of the service instead.

/** The members of \`T\`, each of which may be missing. */
type Optional<T> = { [K in keyof T]?: T[K] | undefined }

/** The members of \`T\`, none of which is missing. */
type Complete<T> = { [K in keyof T]-?: Exclude<T[K], undefined> }

${types.join('\n')}
type Operation<Path, Query, Body, Answer> = { path: Path; query: Query; body: Body; answer: Answer }

${comment('Every operation: the parameters in its path and query, its body, and its answer.')}export type Operations = {
${listed.join('\n')}
}
`
  refuseRepetition(text)
  return text
}

function sizeOf({ properties = {} }: Schema): number {
  return Object.keys(properties).length
}

function parametersIn(place: string, parameters: readonly Parameter[] = []): Parameter[] {
  return parameters.filter((parameter) => parameter.in === place)
}

function objectOf(parameters: readonly Parameter[]): Schema {
  return {
    type: 'object',
    required: parameters.filter(({ required }) => required).map(({ name }) => name),
    properties: Object.fromEntries(
      parameters.map(({ name, schema, description }) => [
        name,
        { ...eachOrAll(schema), ...(description && { description }) },
      ]),
    ),
  }
}

function writeOperation(
  { name, operationId, parameters, requestBody, responses }: Operation & { name: string },
  write: (schema: Schema) => string,
): string {
  const inPlace = (place: string) => {
    const found = parametersIn(place, parameters)
    return found.length === 0 ? 'Empty' : write(objectOf(found))
  }
  const answers = Object.entries(responses)
    .filter(([status, { content }]) => Number(status) < 300 && content !== undefined)
    .map(([, { content }]) => write(mainContent(content as Content)))
  const bodyType = requestBody && write(mainContent(requestBody.content))
  const body = bodyType === undefined ? 'undefined' : requestBody?.required ? bodyType : `${bodyType} | undefined`
  const parts = [inPlace('path'), inPlace('query'), body, union(answers)]
  return `/** \`${operationId}\` */\n${JSON.stringify(name)}: Operation<${parts.join(', ')}>`
}

/** @throws when the same list of values, or the same parameters, are written out twice: they need a name above */
function refuseRepetition(text: string): void {
  const lists = text.matchAll(/"\w[^"\n]*"(?: \| "\w[^"\n]*"){2,}/g)
  const parameters = text.matchAll(/, (\{\n[^{}]*\n\}), /g)
  const seen = new Set<string>()
  for (const [found] of [...lists, ...parameters]) {
    if (seen.has(found)) throw new Error(`This is written out twice; name it in scripts/client-types.ts:\n${found}`)
    seen.add(found)
  }
}

/** A parameter that can be repeated can also be there once. */
function eachOrAll(schema: Schema): Schema {
  return schema.type === 'array' && schema.items ? { anyOf: [schema.items, schema] } : schema
}

/** What comes in JSON, or else as text: NDJSON, CSV and streams of events are read line by line. */
function mainContent(content: Content): Schema {
  const json = Object.keys(content).find((type) => /^application\/(?:[\w.-]+\+)?json$/.test(type))
  return (json === undefined ? undefined : content[json]?.schema) ?? { type: 'string' }
}

/** Writes schemas as types, with the names that it has been given so far in place of what they stand for. */
function typeWriter() {
  const valueNames = new Map<string, string>()
  const objects: Named[] = []

  function write(schema: Schema): string {
    if (schema.$ref !== undefined) return schema.$ref.replace(/^(?:#\/components\/schemas\/)?(\w+)#?$/, '$1')
    if (schema.const !== undefined) return JSON.stringify(schema.const)
    if (schema.enum) return writeValues(schema.enum)
    const choices = schema.anyOf ?? schema.oneOf
    if (choices) return union(choices.map(write))
    if (schema.allOf) return schema.allOf.map((part) => `(${write(part)})`).join(' & ')
    return union([schema.type ?? 'any'].flat().map((type) => writePlain(type, schema)))
  }

  function writeValues(list: readonly unknown[]): string {
    const text = literals(list.filter((value) => value !== null))
    return union([valueNames.get(text) ?? text, ...(list.includes(null) ? ['null'] : [])])
  }

  function writePlain(type: string, schema: Schema): string {
    switch (type) {
      case 'string':
      case 'boolean':
      case 'null':
        return type
      case 'integer':
      case 'number':
        return 'number'
      case 'array':
        return `(${write(schema.items ?? {})})[]`
      case 'object':
        return writeObject(schema)
      case 'any':
        return 'unknown'
    }
    throw new Error(`A schema has the type ${type}, which this writer does not know.`)
  }

  function writeObject(schema: Schema): string {
    const { additionalProperties } = schema
    const members = membersOf(schema)
    if (members.length > 0) return inTermsOfNamed(members)
    if (typeof additionalProperties === 'object') return `Record<string, ${write(additionalProperties)}>`
    return additionalProperties === false ? 'Record<never, never>' : 'Record<string, unknown>'
  }

  function membersOf({ properties = {}, required = [] }: Schema): string[] {
    return Object.entries(properties).map(([name, schema]) => {
      const key = /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name)
      const type = write(schema)
      return `${comment(schema.description)}${key}${required.includes(name) ? `: ${type}` : `?: ${union([type, 'undefined'])}`}`
    })
  }

  /** The largest named objects whose members are all here, and the rest. */
  function inTermsOfNamed(members: readonly string[], known: readonly Named[] = objects): string {
    let rest = members
    const parts: string[] = []
    for (const named of known.toSorted((a, b) => b.members.length - a.members.length)) {
      if (!named.members.every((member) => rest.includes(member))) continue
      parts.push(named.name)
      rest = rest.filter((member) => !named.members.includes(member))
    }
    // Then what is left of one that has most of the rest.
    const shares = known.map(({ name, members }) => ({
      name,
      members,
      both: members.filter((one) => rest.includes(one)),
    }))
    const most = shares.toSorted((a, b) => b.both.length - a.both.length)[0]
    if (most !== undefined && most.both.length >= fewestSharedMembers) {
      const namesOf = (list: readonly string[]) => list.map(memberName)
      const others = most.members.filter((member) => !most.both.includes(member))
      parts.push(partOf(most.name, { chosen: namesOf(most.both), others: namesOf(others) }))
      rest = rest.filter((member) => !most.both.includes(member))
    }
    return [...parts, ...(rest.length > 0 ? [braced(rest)] : [])].join(' & ')
  }

  function sameMember(a: Schema, b: Schema): boolean {
    return a.description === b.description && write(a) === write(b)
  }

  return {
    write,
    /** Gives a name to the values that a member has, and returns them. */
    nameValues(name: string, schema: Schema | undefined): string {
      const list = valuesIn(schema)
      if (list === undefined) throw new Error(`The member for ${name} has no list of values.`)
      const text = literals(list.filter((value) => value !== null))
      valueNames.set(text, name)
      return text
    },
    /**
     * Writes a resource, or a change of it, as what it shares with its creation and the rest. Whether a member may be missing
     * can differ. Undefined if they share little.
     */
    fromCreation(name: string, schema: Schema, creation: { name: string; schema: Schema }): string | undefined {
      const { properties = {}, required = [] } = schema
      const inCreation = Object.entries(creation.schema.properties ?? {})
      const same = inCreation.filter(([name, member]) => properties[name] && sameMember(properties[name], member))
      const isChange = name.startsWith('Update')
      const complete = isChange ? [] : same.flatMap(([name]) => (required.includes(name) ? [name] : []))
      // Only a change makes members optional. A few more are not worth a second part.
      const missing = same.flatMap(([name]) => (required.includes(name) ? [] : [name]))
      const mayMiss = missing.filter((name) => isChange || !creation.schema.required?.includes(name))
      const optional = isChange || mayMiss.length >= fewestSharedMembers ? mayMiss : []
      const shared = [...complete, ...optional]
      if (shared.length < fewestSharedMembers) return undefined
      const others = inCreation.flatMap(([name]) => (shared.includes(name) ? [] : [name]))
      const part = partOf(creation.name, { chosen: shared, others })
      const parts = isChange
        ? [`Optional<${part}>`]
        : optional.length === 0
          ? [`Complete<${part}>`]
          : [part, `Complete<Pick<${creation.name}, ${literals(complete)}>>`]
      const rest = Object.entries(properties).filter(([name]) => !shared.includes(name))
      const members = membersOf({ required, properties: Object.fromEntries(rest) })
      return [...parts, ...(members.length > 0 ? [inTermsOfNamed(members)] : [])].join(' & ')
    },
    /** Gives a name to an object, and returns its type. */
    nameObject(name: string, schema: Schema): string {
      const members = membersOf(schema)
      if (members.length === 0) throw new Error(`There are no members for ${name}.`)
      // A creation is written out: a resource and its change are derived from it.
      const text = inTermsOfNamed(members, name.startsWith('Create') ? [] : objects)
      objects.push({ name, members })
      return text
    },
  }
}

/** The first list of values in a schema, however deep. */
function valuesIn(schema: Schema | undefined): readonly unknown[] | undefined {
  if (schema === undefined || schema.enum) return schema?.enum
  const inner = [...(schema.anyOf ?? schema.oneOf ?? []), ...Object.values(schema.properties ?? {}), schema.items]
  return inner.map(valuesIn).find((list) => list !== undefined)
}

/** The formatter would write a long list of words one by one. */
function declaration(name: string, type: string): string {
  const words = type.split(' | ')
  const isList = words.length > 8 && words.every((word) => /^"[^"]*"$/.test(word))
  if (!isList) return `export type ${name} = ${type}`
  const lines = ['']
  for (const word of words) {
    const item = ` | '${word.slice(1, -1)}'`
    const last = lines.length - 1
    if (`${lines[last]}${item}`.length > 118) lines.push(item)
    else lines[last] += item
  }
  return `// biome-ignore format: a list of words\nexport type ${name} =\n${lines.map((line) => ` ${line}`).join('\n')}`
}

/** The name of a member in its text, which may begin with a comment. */
function memberName(member: string): string {
  return /^"?([\w-]+)"?\??: /m.exec(member.replace(/^\/\*\*[\s\S]*?\*\/\n/, ''))?.[1] ?? ''
}

/** A named object without some of its members: said by the shorter of the two lists. */
function partOf(name: string, { chosen, others }: { chosen: readonly string[]; others: readonly string[] }): string {
  if (others.length === 0) return name
  return others.length < chosen.length ? `Omit<${name}, ${literals(others)}>` : `Pick<${name}, ${literals(chosen)}>`
}

function literals(list: readonly unknown[]): string {
  return list.map((value) => JSON.stringify(value)).join(' | ')
}

/** The formatter keeps an object on one line that begins on one, if it fits. */
function braced(members: readonly string[]): string {
  const isShort = members.length <= 4 && members.every((member) => !member.includes('\n'))
  return isShort ? `{ ${members.join('; ')} }` : `{\n${members.join('\n')}\n}`
}

function union(types: readonly string[]): string {
  return [...new Set(types)].join(' | ')
}

function comment(text: string | undefined): string {
  if (text === undefined) return ''
  const lines = text.trim().replaceAll('*/', '*\\/').split('\n')
  return lines.length === 1
    ? `/** ${lines[0]} */\n`
    : `/**\n${lines.map((line) => ` * ${line}`.trimEnd()).join('\n')}\n */\n`
}
