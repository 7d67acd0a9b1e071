/** Parts of responses in the OpenAPI document that several operations share. */

/** Refers to the schema `User`, or to a list of them: `User[]`. */
export const refOf = (schema: string, to: (name: string) => string) => {
  const ref = { $ref: to(schema.replace('[]', '')) }
  return schema.endsWith('[]') ? { type: 'array', items: ref } : ref
}

export const json = (schema: string) => ({
  'application/json': { schema: refOf(schema, (name) => `#/components/schemas/${name}`) },
})

/** A header. */
export const text = (description: string) => ({ description, schema: { type: 'string' } })

export const etag = (of: string) => ({ ETag: text(`A strong validator of the ${of}; send it back as \`If-Match\`.`) })

export const dryRun = { 'Dry-Run': text('`true`: nothing was changed.') }

export const replayed = { 'Idempotency-Replayed': text('`true`: this is the response to an earlier request.') }

export const nextPage = { Link: text('`<…>; rel="next"` links to the next page, if there is one.') }
