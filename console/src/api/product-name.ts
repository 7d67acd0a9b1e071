/** The name of the product, as the server writes it into the page. */
export function productName(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="product-name"]')?.content ?? ''
}
