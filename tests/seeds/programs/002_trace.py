tf.summary.trace_on(graph=True, profiler=True)  # 开启trace，可以选择是否要记录图结构和profile信息
'''
进行训练
'''
with summary_writer.as_default():
    tf.summary.trace_export(name='model_trace', step=0, profiler_outdir=log_dir)
