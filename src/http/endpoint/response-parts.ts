/** Parts of responses in the OpenAPI document that several operations share. */

export const json = (schema: string) => ({
  'application/json': { schema: { $ref: `#/components/schemas/${schema}` } },
})

export const jsonList = (schema: string) => ({
  'application/json': { schema: { type: 'array', items: { $ref: `#/components/schemas/${schema}` } } },
})

/** A header. */
export const text = (description: string) => ({ description, schema: { type: 'string' } })

export const etag = (of: string) => ({ ETag: text(`A strong validator of the ${of}; send it back as \`If-Match\`.`) })

export const dryRun = { 'Dry-Run': text('`true`: nothing was changed.') }

export const replayed = { 'Idempotency-Replayed': text('`true`: this is the response to an earlier request.') }

export const nextPage = { Link: text('`<…>; rel="next"` links to the next page, if there is one.') }
