import {
  type CreateAttribute,
  createAttributeSchema,
  type UpdateAttribute,
} from '../../../directory/attributes/schema.ts'
import * as attributes from '../../../directory/attributes/service.ts'
import type { Kind } from '../kind.ts'
import { expectedOf } from './members.ts'

export const attributeKind: Kind = {
  section: 'attributes',
  needs: 'attributes:write',
  schema: createAttributeSchema,
  renames: false,
  nameKey: (name) => name,

  async list(db) {
    const rows = await attributes.listDefinitions(db)
    return rows.map((row) => {
      const { created_at: _, updated_at: __, managed_by: ___, ...members } = attributes.toAttribute(row)
      return { id: row.name, name: row.name, members, managed_by: row.managed_by, version: row.version }
    })
  },

  initial({ name, type }) {
    const { type: _, ...initial } = attributes.settingsOf({ name, type } as CreateAttribute)
    return initial
  },

  normalize({ members }) {
    const settings = attributes.settingsOf(members as unknown as CreateAttribute)
    attributes.checkSettings(settings)
    return { name: members.name, ...settings }
  },

  async prepare(members) {
    await attributes.checkTexts(members as UpdateAttribute)
    return { members, prepared: {} }
  },

  async create(ctx, { members }) {
    const { attribute } = await attributes.create(ctx, members as unknown as CreateAttribute)
    return { id: attribute.name }
  },

  async update(ctx, { id, version }, { changed }) {
    await attributes.update(ctx, { name: id, input: changed as UpdateAttribute, expected: expectedOf(version) })
  },

  async remove(ctx, { id, version }) {
    await attributes.remove(ctx, { name: id, expected: expectedOf(version) })
  },
}
