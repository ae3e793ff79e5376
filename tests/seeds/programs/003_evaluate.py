# 评估效果
print(model.evaluate(data_loader.test_data, data_loader.test_label))
