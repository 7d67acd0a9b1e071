/** Audit records and events for changes of definitions. */

import { changesOf } from '../../record/journal/service.ts'
import type { ChangeContext } from '../../store/context.ts'
import type { Changes, Target } from '../../store/journal-entry.ts'
import { type Attribute, updateAttributeSchema } from './schema.ts'

const members = Object.keys(updateAttributeSchema.properties)

export function attributeTarget({ name, label }: Pick<Attribute, 'name' | 'label'>): Target {
  return { kind: 'attribute', id: name, name: label }
}

export function attributeChanges(before: Attribute | undefined, after: Attribute | undefined): Changes {
  return changesOf(before, after, members)
}

export function emitAttribute(
  ctx: ChangeContext,
  type: 'attribute.created' | 'attribute.updated',
  attribute: Attribute,
): void {
  const { name } = attribute
  ctx.emit({ type, subject: name, owner_id: `attribute:${name}`, data: JSON.stringify(attribute) })
}

export function emitDeleted(ctx: ChangeContext, name: string, values_removed: number): void {
  const data = JSON.stringify({ name, values_removed })
  ctx.emit({ type: 'attribute.deleted', subject: name, owner_id: `attribute:${name}`, data })
}
