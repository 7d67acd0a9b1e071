import type { Schema } from './document.ts'
import { Markdown } from './markdown.tsx'
import { limitsOf, resolve, type Schemas, typeOf } from './schema.ts'

type Props = { schema: Schema; schemas: Schemas; depth?: number }

/** Deeper members are rare; a reader opens the schema of that member's own operation. */
const shownDepth = 5

/** The members of an object with type, limits and description, or the one type of anything else. */
export function SchemaView({ schema: declared, schemas, depth = 0 }: Props) {
  const schema = resolve(declared, schemas)
  const alternatives = schema.anyOf ?? schema.oneOf
  if (alternatives !== undefined && depth < shownDepth) {
    return (
      <ul className="schema-alternatives">
        {alternatives.map((one) => (
          <li key={JSON.stringify(one)}>
            <SchemaView schema={one} schemas={schemas} depth={depth + 1} />
          </li>
        ))}
      </ul>
    )
  }
  const parts = schema.allOf ?? []
  const own = Object.entries(schema.properties ?? {})
  const members = [...parts.flatMap((part) => Object.entries(resolve(part, schemas).properties ?? {})), ...own]
  const required = new Set([...parts, schema].flatMap((part) => resolve(part, schemas).required ?? []))
  const item = schema.items && resolve(schema.items, schemas)
  return (
    <>
      {depth === 0 && <Markdown text={schema.description} />}
      {members.length === 0 && <p className="schema-type">{typeOf(declared, schemas)}</p>}
      {item !== undefined && depth < shownDepth && <SchemaView schema={item} schemas={schemas} depth={depth + 1} />}
      {members.length > 0 && (
        <dl className="schema-members">
          {members.map(([name, member]) => (
            <div key={name}>
              <dt>
                <code>{name}</code> <span className="schema-type">{typeOf(member, schemas)}</span>{' '}
                {required.has(name) && <span className="required-mark">required</span>}
              </dt>
              <dd>
                <Markdown text={resolve(member, schemas).description} />
                <Limits schema={resolve(member, schemas)} />
                {hasMembers(member, schemas) && depth < shownDepth && (
                  <SchemaView schema={innermost(member, schemas)} schemas={schemas} depth={depth + 1} />
                )}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </>
  )
}

export function Limits({ schema }: { schema: Schema }) {
  const limits = limitsOf(schema)
  return limits.length === 0 ? null : <p className="schema-limits">{limits.join('; ')}</p>
}

function innermost(declared: Schema, schemas: Schemas): Schema {
  const schema = resolve(declared, schemas)
  return schema.items === undefined ? schema : innermost(schema.items, schemas)
}

function hasMembers(declared: Schema, schemas: Schemas): boolean {
  return Object.keys(innermost(declared, schemas).properties ?? {}).length > 0
}
