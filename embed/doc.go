// Package embed turns texts into vectors; each type in it is a
// [orihon/memory.Embedder].
//
// [Hash] needs no model, no training and no network. It is not for meaning:
// it brings together words that share letters (deploy, deployments, 部署流程)
// where full text sees different terms. Start with [NewHash].
package embed
