declare module '*.po' {
  export const messages: Record<string, never>
}
declare module '*.module.css' {
  const names: Readonly<Record<string, string>>
  export default names
}
