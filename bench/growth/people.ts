/** The users who sign in while the growth is measured. */
export const password = 'Vexil-plomb-Aruda-9-quorn'
export const usernameOf = (i: number) => `grown-${i}`
